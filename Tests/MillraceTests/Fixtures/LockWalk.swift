import Foundation

@testable import Millrace

/// A walk over the schedules of some threads that use one lock, which checks in each what the lock promises.
///
/// Steps and urgent steps have numbers of their own, from 0 to 63.
final class LockWalk: @unchecked Sendable {
  /// A call of a thread.
  enum Call {
    /// `perform`, with the step of this number.
    case perform(Int)
    /// `performUrgently`; `takingQueuedWork` has the step call `performQueuedWork`, as cutting all runs does.
    case performUrgently(Int, takingQueuedWork: Bool = false)
    /// `tryLock`, a step without a number and the unlocking, if it finds the lock free.
    case tryLock
  }

  /// The result of a walk.
  struct Finding {
    var schedules: Int
    var violation: String?
    /// The threads in the order in which they continued, up to the violation.
    var schedule: [Int]
  }

  /// A set of numbered steps.
  private typealias Steps = UInt64

  /// An object with nothing but a lock.
  private final class Locked: Combining {
    let lock = FlatCombiningLock<WalkedWord, WalkedEnvironment>()

    func willUnlock() {}

    func performSteps() {}

    func relieve() { lock.relieve(for: self) }
  }

  let interleaving: Interleaving
  let patience: Int
  private let threads: [[Call]]
  private let reliefs: Int
  private let pool: Range<Int>

  // Of one schedule.
  private var object: Locked?
  private var done: Steps = 0
  /// The steps of `perform` that have returned, done or not.
  private var returned: Steps = 0
  /// For each thread: the queued steps that were not done when its call began; its step must follow them.
  private var earlier: [Steps] = []
  private var earlierOfStep: [Int: Steps] = [:]
  /// The urgent steps that are registered, and those of them that another step was done ahead of.
  private var registered: Steps = 0
  private var overtaken: Steps = 0
  /// The urgent step that each thread waits for.
  private var awaited: [Int?] = []
  /// Whether an urgent step does all that is queued.
  private var takesQueuedWork = false
  /// Whether a thread of the pool has returned.
  private var poolHasThread = false
  /// The number of reliefs that wait for a thread of the pool.
  private var delayedReliefs = 0

  /// - Parameters:
  ///   - threads: the calls of each thread, in order.
  ///   - reliefs: the number of reliefs at one time.
  ///   - patience: the number of steps of others that a holder does.
  ///   - preemptions: the number of times that a schedule may switch away from a thread that could continue.
  ///   - pool: the threads that are all those of the pool, so that a relief begins when one of them has returned; empty for a pool
  ///     with other threads.
  init(_ threads: [[Call]], reliefs: Int, patience: Int, preemptions: Int, pool: Range<Int> = 0..<0) {
    self.threads = threads
    self.reliefs = reliefs
    self.pool = pool
    self.patience = patience
    interleaving = Interleaving(threads: threads.count + reliefs, preemptions: preemptions)
  }

  /// Walks the schedules, no more of them than `limit`, until a rule is broken.
  func find(limit: Int = .max) -> Finding {
    adopt()
    interleaving.walk(limit: limit, enter: { self.adopt() }, begin: begin, state: { self.state }, check: check)
    return Finding(
      schedules: interleaving.schedules, violation: interleaving.violation, schedule: interleaving.schedule)
  }

  private func begin() {
    (done, returned, registered, overtaken, takesQueuedWork) = (0, 0, 0, 0, false)
    (poolHasThread, delayedReliefs) = (pool.isEmpty, 0)
    earlier = Array(repeating: 0, count: threads.count)
    earlierOfStep = [:]
    awaited = Array(repeating: nil, count: threads.count + reliefs)
    let object = Locked()
    self.object = object
    for (index, calls) in threads.enumerated() {
      interleaving.start(index) {
        for call in calls { self.perform(call, on: object, by: index) }
        if self.pool.contains(index) { self.beginDelayedReliefs() }
      }
    }
  }

  private var state: UInt64 {
    var state = mixed(mixed(mixed(done, returned), registered), overtaken)
    for steps in earlier { state = mixed(state, steps & ~done) }
    for (step, steps) in earlierOfStep where done >> step & 1 == 0 { state &+= mixed(UInt64(step), steps & ~done) }
    return mixed(mixed(state, takesQueuedWork ? 1 : 0), UInt64(delayedReliefs))
  }

  /// The rule that is broken at the end of a schedule.
  private func check() -> String? {
    guard let object else { return nil }
    let all = threads.joined().reduce(into: Steps(0)) { all, call in
      switch call {
      case .perform(let step), .performUrgently(let step, _): all |= 1 << step
      case .tryLock: break
      }
    }
    if done != all { return "steps are lost: \(names(all & ~done))" }
    if object.lock.word.value != 0 { return "the word is \(object.lock.word.value) when all threads have returned" }
    if object.lock.urgent.value != 0 { return "an urgent step is still counted" }
    if object.lock.lists.isRelieved.value != 0 { return "a relief is said to come, and none does" }
    return nil
  }

  private func names(_ steps: Steps) -> [Int] { (0..<64).filter { steps >> $0 & 1 != 0 } }

  // MARK: Calls

  private func perform(_ call: Call, on object: Locked, by thread: Int) {
    interleaving.point()
    if holder == thread { interleaving.fail("thread \(thread) finds itself in the word") }
    earlier[thread] = returned & ~done
    switch call {
    case .perform(let step):
      earlierOfStep[step] = earlier[thread]
      object.lock.perform(for: object) { self.step(step) }
      returned |= 1 << step
    case .performUrgently(let step, let takesQueuedWork):
      awaited[thread] = step
      object.lock.performUrgently(for: object) { self.urgentStep(step, takingQueuedWork: takesQueuedWork) }
      awaited[thread] = nil
      if done >> step & 1 == 0 { interleaving.fail("thread \(thread) returns before its urgent step \(step)") }
    case .tryLock:
      guard object.lock.tryLock() else { return }
      beginStep("a step of thread \(thread)", after: earlier[thread])
      if !object.lock.tryUnlock() { object.lock.unlockSlowly(for: object) }
    }
  }

  /// The thread that the word names.
  private var holder: Int? {
    guard let object, object.lock.word.value > 1 else { return nil }
    return Int(object.lock.word.value >> 1) - 1
  }

  private func step(_ step: Int) {
    beginStep("step \(step)", after: earlierOfStep[step] ?? 0)
    if let urgent = awaited[interleaving.runningThread], !takesQueuedWork {
      interleaving.fail("the caller of urgent step \(urgent) does step \(step) of another")
    }
    end(step)
  }

  private func urgentStep(_ step: Int, takingQueuedWork: Bool) {
    begin("urgent step \(step)")
    end(step)
    guard takingQueuedWork, let object else { return }
    takesQueuedWork = true
    object.lock.performQueuedWork(for: object)
    takesQueuedWork = false
  }

  /// Checks that a step may be done now, after the steps that were queued when it was asked for.
  private func beginStep(_ name: String, after earlier: Steps) {
    begin(name)
    if earlier & ~done != 0 {
      interleaving.fail("\(name) overtakes \(names(earlier & ~done)), which were queued before")
    }
    let waiting = registered & ~done
    if waiting & overtaken != 0 {
      interleaving.fail("\(name) is the second one ahead of urgent step \(names(waiting & overtaken))")
    }
    overtaken |= waiting
  }

  private func begin(_ name: String) {
    interleaving.point()
    if holder != interleaving.runningThread {
      interleaving.fail("thread \(interleaving.runningThread) does \(name) without the lock")
    }
  }

  private func end(_ step: Int) {
    if done >> step & 1 != 0 { interleaving.fail("step \(step) is done twice") }
    done |= 1 << step
    interleaving.note(UInt64(step))
  }

  // MARK: The environment

  /// The identity of a thread in the word.
  static func identity(of thread: Int) -> UInt { UInt(thread + 1) << 1 }

  /// Takes the urgent step of the running thread, if it waits for one, as registered from now on.
  func registerUrgentStep() {
    if let step = awaited[interleaving.runningThread] { registered |= 1 << step }
  }

  /// Schedules a relief, which comes as soon as the pool has a thread for it.
  func startRelief() {
    if poolHasThread { beginRelief() } else { delayedReliefs += 1 }
  }

  private func beginDelayedReliefs() {
    poolHasThread = true
    for _ in 0..<delayedReliefs { beginRelief() }
    delayedReliefs = 0
  }

  private func beginRelief() {
    guard let object, let relief = (threads.count..<threads.count + reliefs).first(where: interleaving.isIdle) else {
      interleaving.fail("more reliefs are on their way than there may be")
    }
    interleaving.start(relief) { object.relieve() }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Makes this the walk that the running thread belongs to.
  private func adopt() {
    pthread_setspecific(LockWalk.key, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The walk that the running thread belongs to.
  static var current: LockWalk {
    guard let current = pthread_getspecific(key) else { preconditionFailure("This thread belongs to no walk.") }
    return Unmanaged<LockWalk>.fromOpaque(current).takeUnretainedValue()
  }
}
