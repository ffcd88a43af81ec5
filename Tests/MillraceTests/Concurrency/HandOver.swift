/// The hand-over protocol of `Combiner` as a pure value: threads at points, of which each is one atomic operation of the code.
///
/// A step of one thread is the operation at its point with everything that follows up to its next one. What only the owner
/// touches is checked to be touched by the one thread that the word names.
struct HandOver {
  /// What a thread does, one after the other.
  enum Call {
    /// `perform`, with the work of this number.
    case perform(Int)
    /// `performUrgently`; `takingLeftWork` has the work call `performLeftWork`, as cutting all runs does.
    case performUrgently(Int, takingLeftWork: Bool = false)
    /// `relieve`.
    case relieve
  }

  /// The operation that a thread comes to next.
  enum Point: UInt8 {
    /// Nothing is left to do, or for a relief: nobody asked for it yet.
    case over
    /// `isOwnedHere`.
    case begin
    // enterOrGiveUp
    case look, enter
    /// The thread's own step.
    case work
    // leave
    case leaving, free
    // enqueue
    case append, setPending, enterPending
    // leaveAfterErrands
    case checkPending, checkWanted, clearPending, takeQueue, workOff, leavingAfterErrands, freeAfterErrands
    // giveWay
    case checkRelief, giveWay
    // enterUrgently
    case count, lookUrgently, enterUrgently, uncount
    /// `performLeftWork`.
    case takeLeftWork

    /// Whether a thread at this point has the turn.
    var isOwners: Bool {
      switch self {
      case .over, .begin, .look, .enter, .append, .setPending, .enterPending, .count, .lookUrgently, .enterUrgently:
        false
      case .work, .leaving, .free, .checkPending, .checkWanted, .clearPending, .takeQueue, .workOff,
        .leavingAfterErrands,
        .freeAfterErrands, .checkRelief, .giveWay, .uncount, .takeLeftWork:
        true
      }
    }
  }

  /// The protocol does not hold what it promises.
  struct Violation: Error, CustomStringConvertible {
    var description: String
  }

  /// One thread; a small number each, so that a state is hashed quickly.
  struct Thread {
    var point = Point.over
    /// Which of its calls it is in.
    var call: UInt8 = 0
    /// How often it has looked.
    var looks: UInt8 = 0
    /// How many steps of others it may still do.
    var patience: UInt8 = 0
    /// The word when it was loaded last.
    var loaded: UInt8 = 0
    /// What it found out before.
    var flag = false

    var packed: UInt32 {
      let low = UInt32(point.rawValue) | UInt32(call) << 6 | UInt32(looks) << 10 | UInt32(patience) << 14
      return low | UInt32(loaded) << 18 | (flag ? 1 << 26 : 0)
    }
  }

  /// What tells two states apart.
  struct Key: Hashable {
    var shared: UInt64
    var lists: UInt64
    var order: UInt64
    var threads: [UInt32]
  }

  static let pending: UInt8 = 1
  static let looks: UInt8 = 2

  let calls: [[Call]]
  let patience: UInt8
  let mistake: Mistake?

  private(set) var word: UInt8 = 0
  private(set) var urgent: UInt8 = 0
  private(set) var queue = Numbers()
  private(set) var hasErrands = false
  private(set) var isRelieved = false
  private(set) var backlog = Numbers()
  private(set) var threads: [Thread]

  /// Left work in the order in which it was appended, and how much of it is done.
  private(set) var appended = Numbers()
  private(set) var leftDone: UInt8 = 0
  /// Work that was left for certain, and work that is done; a bit each.
  private(set) var left: UInt16 = 0
  private(set) var done: UInt16 = 0

  /// - Parameters:
  ///   - threads: what each thread calls, in order.
  ///   - reliefs: how many tasks of the combiner's own there may be at one time.
  init(threads: [[Call]], reliefs: Int, patience: UInt8, mistake: Mistake? = nil) {
    calls = threads + Array(repeating: [.relieve], count: reliefs)
    self.patience = patience
    self.mistake = mistake
    self.threads = calls.indices.map { index in
      var thread = Thread()
      if index < threads.count { thread.point = .begin }
      return thread
    }
  }

  var key: Key {
    let flags: UInt64 = (hasErrands ? 1 : 0) | (isRelieved ? 2 : 0)
    let counts = UInt64(word) | UInt64(urgent) << 8 | flags << 16 | UInt64(leftDone) << 24
    return Key(
      shared: counts | UInt64(left) << 32 | UInt64(done) << 48, lists: queue.packed | backlog.packed << 32,
      order: appended.packed, threads: threads.map(\.packed))
  }

  /// The threads that have something left to do.
  var unfinished: [Int] { threads.indices.filter { threads[$0].point != .over } }

  /// What must hold once no thread has anything left to do.
  func checkEnd() throws(Violation) {
    let all = calls.joined().reduce(into: UInt16(0)) { all, call in
      switch call {
      case .perform(let work), .performUrgently(let work, _): all |= 1 << UInt16(work)
      case .relieve: break
      }
    }
    if done != all { throw Violation(description: "work is lost: of \(all) only \(done) is done") }
    if word != 0 { throw Violation(description: "the word is \(word) when all have left") }
    if !queue.isEmpty || !backlog.isEmpty { throw Violation(description: "work is left when all have left") }
    if urgent != 0 { throw Violation(description: "somebody is still counted as urgent") }
    if isRelieved { throw Violation(description: "a relief is said to come, and none does") }
  }

  // MARK: Steps

  /// The next operation of one thread.
  mutating func step(_ index: Int) throws(Violation) {
    var thread = threads[index]
    if thread.point.isOwners, word >> 1 != index + 1 {
      throw Violation(description: "thread \(index) acts at \(thread.point) without the turn")
    }
    switch thread.point {
    case .begin, .look, .enter, .append, .setPending, .enterPending:
      try stepOutside(index, &thread)
    case .count, .lookUrgently, .enterUrgently, .uncount:
      try stepUrgently(index, &thread)
    case .over, .work, .leaving, .free, .checkPending, .checkWanted, .clearPending, .takeQueue, .workOff,
      .leavingAfterErrands, .freeAfterErrands, .checkRelief, .giveWay, .takeLeftWork:
      try stepInside(index, &thread)
    }
    threads[index] = thread
    let owners = threads.indices.filter { threads[$0].point.isOwners }
    if owners.count > 1 { throw Violation(description: "threads \(owners) have the turn at once") }
  }

  private func me(_ index: Int) -> UInt8 { UInt8(index + 1) << 1 }

  /// Steps of a thread that wants to do work, or to leave it.
  private mutating func stepOutside(_ index: Int, _ thread: inout Thread) throws(Violation) {
    let me = me(index)
    switch thread.point {
    case .begin:
      if word & ~Self.pending == me { throw Violation(description: "thread \(index) finds itself in the word") }
      thread.looks = 0
      if case .perform = calls[index][Int(thread.call)] { thread.point = .look } else { thread.point = .count }
    case .look:
      thread.loaded = word
      if word == 0 || (mistake == .entersOnPending && word == Self.pending) {
        thread.point = .enter
      } else if word == Self.pending {
        giveUp(&thread)
      } else {
        lookAgain(&thread)
      }
    case .enter:
      if word == thread.loaded {
        word |= me
        if left & ~done != 0 { throw Violation(description: "thread \(index) passes work that was left") }
        thread.point = .work
      } else {
        lookAgain(&thread)
      }
    case .append:
      let work = number(index, thread)
      queue.append(work)
      appended.append(work)
      if mistake == .setsPendingBeforeAppending { afterPending(index, &thread) } else { thread.point = .setPending }
    case .setPending:
      thread.loaded = word
      word |= Self.pending
      left |= 1 << UInt16(number(index, thread))
      if mistake == .setsPendingBeforeAppending { thread.point = .append } else { afterPending(index, &thread) }
    case .enterPending:
      if word == Self.pending {
        word |= me
        leaveAfterErrands(&thread)
      } else {
        endCall(index, &thread)
      }
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  private func lookAgain(_ thread: inout Thread) {
    thread.looks += 1
    if thread.looks == Self.looks { giveUp(&thread) } else { thread.point = .look }
  }

  private func giveUp(_ thread: inout Thread) {
    thread.point = mistake == .setsPendingBeforeAppending ? .setPending : .append
  }

  private func afterPending(_ index: Int, _ thread: inout Thread) {
    let wasFree = thread.loaded & ~Self.pending == 0
    if wasFree, mistake != .doesNotEnterAfterSettingPending {
      thread.point = .enterPending
    } else {
      endCall(index, &thread)
    }
  }

  private mutating func stepUrgently(_ index: Int, _ thread: inout Thread) throws(Violation) {
    switch thread.point {
    case .count:
      urgent += 1
      thread.point = .lookUrgently
    case .lookUrgently:
      thread.loaded = word
      if word & ~Self.pending == 0 { thread.point = .enterUrgently }
    case .enterUrgently:
      if word == thread.loaded {
        word |= me(index)
        thread.point = .uncount
      } else {
        thread.point = .lookUrgently
      }
    case .uncount:
      urgent -= 1
      thread.point = .work
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  /// Steps of the owner.
  private mutating func stepInside(_ index: Int, _ thread: inout Thread) throws(Violation) {
    switch thread.point {
    case .work: try work(index, &thread)
    case .takeLeftWork:
      hasErrands = true
      try workOffAll(index)
      refill()
      try workOffAll(index)
      leave(&thread)
    case .leaving:
      thread.loaded = word
      if word & Self.pending == 0 { thread.point = .free } else { leaveAfterErrands(&thread) }
    case .free:
      if free(thread) { endCall(index, &thread) } else { leaveAfterErrands(&thread) }
    case .checkPending:
      if word & Self.pending == 0 {
        thread.point = .leavingAfterErrands
      } else {
        thread.point = thread.patience > 0 ? .checkWanted : .checkRelief
      }
    case .checkWanted:
      if urgent > 0 {
        thread.point = .checkRelief
      } else if backlog.isEmpty || mistake == .takesTheQueueOverTheBacklog {
        thread.point = mistake == .clearsPendingAfterTakingTheQueue ? .takeQueue : .clearPending
      } else {
        thread.point = .workOff
      }
    case .clearPending:
      word = me(index)
      if mistake == .clearsPendingAfterTakingTheQueue { thread.point = .workOff } else { thread.point = .takeQueue }
    case .takeQueue:
      refill()
      if mistake == .clearsPendingAfterTakingTheQueue { thread.point = .clearPending } else { thread.point = .workOff }
    case .workOff: try workOff(index, &thread)
    case .leavingAfterErrands:
      hasErrands = false
      thread.loaded = word
      thread.point = word & Self.pending == 0 ? .freeAfterErrands : .checkPending
    case .freeAfterErrands:
      if free(thread) { endCall(index, &thread) } else { thread.point = .checkPending }
    case .checkRelief:
      thread.flag = urgent == 0 && !isRelieved
      if thread.flag { isRelieved = true }
      thread.point = .giveWay
    case .giveWay: try giveWay(index, &thread)
    default: preconditionFailure("The other points belong to other steps.")
    }
  }

  private mutating func work(_ index: Int, _ thread: inout Thread) throws(Violation) {
    switch calls[index][Int(thread.call)] {
    case .perform(let work): try perform(work, by: index, wasLeft: false)
    case .performUrgently(let work, let takingLeftWork):
      try perform(work, by: index, wasLeft: false)
      if takingLeftWork {
        thread.point = .takeLeftWork
        return
      }
    case .relieve:
      hasErrands = true
      if mistake != .staysRelieved { isRelieved = false }
    }
    leave(&thread)
  }

  private func leave(_ thread: inout Thread) {
    if hasErrands { leaveAfterErrands(&thread) } else { thread.point = .leaving }
  }

  private func leaveAfterErrands(_ thread: inout Thread) {
    thread.patience = patience
    thread.point = .checkPending
  }

  /// The exchange at the end of `tryLeave`.
  private mutating func free(_ thread: Thread) -> Bool {
    guard word == thread.loaded || mistake == .leavesWithoutComparing else { return false }
    word = 0
    return true
  }

  private mutating func workOff(_ index: Int, _ thread: inout Thread) throws(Violation) {
    hasErrands = true
    if thread.patience > 0, urgent == 0, let work = backlog.popFirst() {
      try perform(work, by: index, wasLeft: true)
      thread.patience -= 1
      if thread.patience > 0 { return }
    }
    thread.point = backlog.isEmpty ? .checkPending : .checkRelief
  }

  private mutating func workOffAll(_ index: Int) throws(Violation) {
    while let work = backlog.popFirst() { try perform(work, by: index, wasLeft: true) }
  }

  private mutating func refill() {
    guard backlog.isEmpty || mistake == .takesTheQueueOverTheBacklog else { return }
    while let work = queue.popFirst() {
      if mistake == .takesTheQueueOverTheBacklog { backlog.insert(work) } else { backlog.append(work) }
    }
  }

  private mutating func giveWay(_ index: Int, _ thread: inout Thread) throws(Violation) {
    word = mistake == .givesWayToZero ? 0 : Self.pending
    if thread.flag, mistake != .givesWayWithoutRelief {
      let relief = calls.indices.first { relief in
        guard relief != index, case .relieve = calls[relief][0] else { return false }
        return threads[relief].point == .over
      }
      guard let relief else { throw Violation(description: "more reliefs are on their way than there may be") }
      threads[relief] = Thread(point: .count)
    }
    thread.flag = false
    endCall(index, &thread)
  }

  private mutating func perform(_ work: Int, by index: Int, wasLeft: Bool) throws(Violation) {
    let bit: UInt16 = 1 << UInt16(work)
    if done & bit != 0 { throw Violation(description: "work \(work) is done twice") }
    if wasLeft {
      if appended[Int(leftDone)] != work {
        throw Violation(description: "work \(work) passes work that was left before it")
      }
      leftDone += 1
    }
    done |= bit
  }

  private func endCall(_ index: Int, _ thread: inout Thread) {
    let next = thread.call + 1
    thread = Thread()
    if Int(next) < calls[index].count {
      thread.call = next
      thread.point = .begin
    }
  }

  private func number(_ index: Int, _ thread: Thread) -> Int {
    switch calls[index][Int(thread.call)] {
    case .perform(let work), .performUrgently(let work, _): work
    case .relieve: preconditionFailure("A relief leaves no work.")
    }
  }
}
