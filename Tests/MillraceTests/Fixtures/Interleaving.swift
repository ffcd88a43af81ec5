import Foundation

/// Threads of which exactly one runs at a time, and a walk over the orders in which they can do so.
///
/// A thread calls ``point()`` before each access of what the threads share; there the walk decides which thread continues. It repeats the
/// same calls with other decisions, depth first, until it has tried all with at most `preemptions` switches away from a thread that
/// could continue. A state that it has met before, with as many switches left, is not walked from again.
final class Interleaving: @unchecked Sendable {
  /// A place where several threads could continue.
  private struct Choice {
    var options: [Int]
    var taken = 0
  }

  /// One of the threads.
  private final class Worker: @unchecked Sendable {
    let wakeUp = DispatchSemaphore(value: 0)
    /// The calls that remain; nil while the thread has none.
    var calls: (() -> Void)?
    /// Whether the thread waits to be woken.
    var isParked = false
    /// The number of times that the thread was woken while it was not parked.
    var wakes = 0
    /// A hash of all that the thread has seen and done.
    var history: UInt64 = 0
    /// The number of words that the thread made.
    var words: UInt64 = 0
    /// Whether the thread is inside an access, which is one point as a whole.
    var isInsideAccess = false
  }

  /// The number of times that the calls were repeated.
  private(set) var schedules = 0

  /// The first rule that was broken, and the threads in the order in which they went on until then.
  private(set) var violation: String?
  private(set) var schedule: [Int] = []

  private let preemptions: Int
  private let workers: [Worker]
  private let isOver = DispatchSemaphore(value: 0)
  private var isEnded = false

  private var path: [Choice] = []
  private var seen: [UInt64: Int] = [:]

  // Of one schedule.
  private var depth = 0
  private var preemptionsLeft = 0
  private var walksOn = true
  private var points = 0
  private var running = 0
  /// A hash of the words' values.
  private var values: UInt64 = 0
  /// Hashes of how each list came to be what it is.
  private var lists: [ObjectIdentifier: UInt64] = [:]

  /// - Parameters:
  ///   - threads: the number of threads.
  ///   - preemptions: the number of times that a schedule may switch away from a thread that could continue.
  init(threads: Int, preemptions: Int) {
    self.preemptions = preemptions
    workers = (0..<threads).map { _ in Worker() }
  }

  // MARK: The walk

  /// Walks all schedules, no more of them than `limit`.
  ///
  /// - Parameters:
  ///   - enter: called on each thread before all else.
  ///   - begin: gives the threads their calls.
  ///   - state: returns what tells two states apart besides the words, the lists and what the threads have seen.
  ///   - check: returns the rule that is broken at the end of a schedule.
  func walk(
    limit: Int, enter: @escaping @Sendable () -> Void, begin: () -> Void, state: @escaping () -> UInt64,
    check: () -> String?
  ) {
    extraState = state
    for worker in workers {
      Thread.detachNewThread {
        enter()
        self.work(as: worker)
      }
    }
    repeat {
      reset()
      begin()
      schedules += 1
      goOn(to: choose(besides: nil))
      isOver.wait()
      if violation == nil { violation = check() }
    } while violation == nil && schedules < limit && backtrack()
    end()
  }

  private var extraState: () -> UInt64 = { 0 }

  private func reset() {
    (depth, preemptionsLeft, walksOn, points, values) = (0, preemptions, true, 0, 0)
    (lists, schedule) = ([:], [])
    for worker in workers {
      (worker.isParked, worker.wakes, worker.history, worker.words) = (false, 0, 0, 0)
    }
  }

  /// Turns to the next schedule, which differs from this one as late as possible.
  private func backtrack() -> Bool {
    while let last = path.last {
      if last.taken + 1 < last.options.count {
        path[path.count - 1].taken += 1
        return true
      }
      path.removeLast()
    }
    return false
  }

  /// Ends the threads; those of a broken schedule are left where they stand.
  private func end() {
    extraState = { 0 }
    isEnded = true
    for worker in workers where worker.calls == nil { worker.wakeUp.signal() }
  }

  // MARK: Threads

  private func work(as worker: Worker) {
    while true {
      worker.wakeUp.wait()
      guard let calls = worker.calls else { return }
      calls()
      worker.calls = nil
      if workers.allSatisfy({ $0.calls == nil }) {
        isOver.signal()
      } else {
        goOn(to: choose(besides: nil))
      }
    }
  }

  /// Assigns a thread its calls; it can run from then on.
  func start(_ index: Int, _ calls: @escaping () -> Void) {
    workers[index].calls = calls
  }

  /// Whether a thread has no calls left.
  func isIdle(_ index: Int) -> Bool { workers[index].calls == nil }

  /// The index of the thread that runs.
  var runningThread: Int { running }

  /// Ends the walk because a rule is broken; does not return.
  func fail(_ sentence: String) -> Never {
    violation = sentence
    isOver.signal()
    while true { workers[running].wakeUp.wait() }
  }

  private func goOn(to next: Int?) {
    guard let next else {
      let waiting = workers.indices.filter { workers[$0].calls != nil }
      fail("threads \(waiting) wait for ever")
    }
    running = next
    schedule.append(next)
    workers[next].wakeUp.signal()
  }

  // MARK: Points

  /// Asks the walk which thread continues; called before each access of shared memory.
  func point() {
    let me = running
    if workers[me].isInsideAccess { return }
    points += 1
    if points > 5_000 { fail("the schedule does not end") }
    if let next = choose(besides: me), next != me {
      goOn(to: next)
      workers[me].wakeUp.wait()
    }
    note(0)
  }

  /// Waits until another thread has called `wake` for this one, unless it has done so since the last call.
  func park() {
    point()
    let me = running
    guard workers[me].wakes == 0 else { return workers[me].wakes -= 1 }
    workers[me].isParked = true
    goOn(to: choose(besides: nil))
    workers[me].wakeUp.wait()
  }

  /// Ends the wait of a parked thread, now or next.
  func wake(_ index: Int) {
    point()
    if workers[index].isParked { workers[index].isParked = false } else { workers[index].wakes += 1 }
  }

  /// Begins the access of a list, which is one point as a whole.
  func beginAccess() {
    point()
    workers[running].isInsideAccess = true
  }

  /// Ends the access of the list that has elements of this type.
  func endAccess(_ list: Any.Type) {
    let worker = workers[running]
    worker.isInsideAccess = false
    note(lists[ObjectIdentifier(list), default: 0])
    lists[ObjectIdentifier(list)] = worker.history
  }

  /// Adds to what the running thread has seen and done.
  func note(_ number: UInt64) {
    workers[running].history = mixed(workers[running].history, number)
  }

  /// A number that tells a word from the others of this schedule, however the threads came to make them.
  func newWord() -> UInt64 {
    workers[running].words += 1
    return UInt64(running) << 32 | workers[running].words
  }

  /// Notes that a word has another value.
  func didChange(_ word: UInt64, from old: UInt, to new: UInt) {
    values = values &- mixed(word, UInt64(old)) &+ mixed(word, UInt64(new))
  }

  // MARK: Choices

  /// The thread that continues; nil if none can.
  private func choose(besides me: Int?) -> Int? {
    if let me, preemptionsLeft == 0 || (depth == path.count && !walksOn) { return me }
    var options = workers.indices.filter { workers[$0].calls != nil && !workers[$0].isParked && $0 != me }
    if let me { options.insert(me, at: 0) }
    guard options.count > 1 else { return options.first }
    if depth == path.count {
      guard walksOn, isNew(me) else {
        walksOn = false
        return options[0]
      }
      path.append(Choice(options: options))
    } else if path[depth].options != options {
      fail("the calls do not repeat: \(options) can continue after \(schedule), and not \(path[depth].options)")
    }
    let next = path[depth].options[path[depth].taken]
    depth += 1
    if let me, next != me { preemptionsLeft -= 1 }
    return next
  }

  /// Whether no state like this one was met with as many preemptions left.
  private func isNew(_ me: Int?) -> Bool {
    var state = mixed(values, UInt64(bitPattern: Int64(me ?? -1)))
    for worker in workers {
      let phase: UInt64 = worker.calls == nil ? 0 : worker.isParked ? 1 : 2 + UInt64(worker.wakes)
      state = mixed(mixed(state, worker.history), phase)
    }
    for list in lists.values.sorted() { state = mixed(state, list) }
    state = mixed(state, extraState())
    if let left = seen[state], left >= preemptionsLeft { return false }
    seen[state] = preemptionsLeft
    return true
  }
}

/// A hash of two numbers, after SplitMix64.
func mixed(_ first: UInt64, _ second: UInt64) -> UInt64 {
  var hash = (first &+ 0x9E37_79B9_7F4A_7C15) ^ (second &* 0xD6E8_FEB8_6659_FD93)
  hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
  hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
  return hash ^ hash >> 31
}
