/// The hand-over protocol of `CombiningLock` as a pure value: threads at points, of which each is one atomic operation of the code.
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
    /// `tryEnter`, a step and `leave`, again and again without end.
    case enterForEver
    /// `relieve`.
    case relieve
  }

  /// The operation that a thread comes to next.
  enum Point: UInt8 {
    /// Nothing is left to do, or for a relief: nobody asked for it yet.
    case over
    /// `isOwnedHere`.
    case begin
    // enterOrGiveUp, tryEnter
    case look, enter
    /// The thread's own step.
    case work
    // leave
    case leaving, free
    // enqueue
    case append, setPending, enterPending
    // leaveAfterErrands
    case checkUrgent, checkPending, clearPending, takeQueue, leavingAfterErrands, freeAfterErrands
    // performBacklog
    case checkUrgentFirst, workOff
    // giveWay
    case giveWay, claimRelief
    // perform, of an urgent step
    case tryUrgently, register, setPendingUrgently, lookUrgently, enterUrgently
    // relieve
    case clearRelieved, enterRelief

    /// Whether a thread at this point has the turn.
    var isOwners: Bool {
      switch self {
      case .over, .begin, .look, .enter, .append, .setPending, .enterPending, .claimRelief, .tryUrgently, .register,
        .setPendingUrgently, .lookUrgently, .enterUrgently, .clearRelieved, .enterRelief:
        false
      case .work, .leaving, .free, .checkUrgent, .checkPending, .clearPending, .takeQueue, .leavingAfterErrands,
        .freeAfterErrands, .checkUrgentFirst, .workOff, .giveWay:
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
    /// Whether it has registered its urgent step.
    var isRegistered = false

    var packed: UInt32 {
      let low = UInt32(point.rawValue) | UInt32(call) << 6 | UInt32(looks) << 10 | UInt32(patience) << 14
      return low | UInt32(loaded) << 18 | (isRegistered ? 1 << 26 : 0)
    }
  }

  /// What tells two states apart.
  struct Key: Hashable {
    var shared: UInt64
    var lists: UInt64
    var order: UInt64
    var urgent: UInt64
    var threads: [UInt32]
  }

  static let pending: UInt8 = 1
  static let looks: UInt8 = 2

  let calls: [[Call]]
  let patience: UInt8
  let mistake: Mistake?

  var word: UInt8 = 0
  var urgent: UInt8 = 0
  var urgentSteps = Numbers()
  var queue = Numbers()
  var hasErrands = false
  var isRelieved = false
  var backlog = Numbers()
  var threads: [Thread]

  /// Left work in the order in which it was appended, and how much of it is done.
  var appended = Numbers()
  var leftDone: UInt8 = 0
  /// Work that was left for certain, and work that is done; a bit each.
  var left: UInt16 = 0
  var done: UInt16 = 0
  /// The urgent steps that are registered and not done, each with the number of other steps since; two bits each.
  var registered = Numbers()
  var overtaken: UInt32 = 0

  /// - Parameters:
  ///   - threads: what each thread calls, in order.
  ///   - reliefs: how many tasks of the lock's own there may be at one time.
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
      order: appended.packed, urgent: urgentSteps.packed | registered.packed << 16 | UInt64(overtaken) << 32,
      threads: threads.map(\.packed))
  }

  /// The threads that can take a step.
  var running: [Int] { threads.indices.filter { threads[$0].point != .over } }

  /// Whether no thread has anything left to do, but for those that enter for ever.
  var isOver: Bool {
    threads.indices.allSatisfy { index in
      if case .enterForEver = calls[index][0] { return threads[index].point == .begin }
      return threads[index].point == .over
    }
  }

  /// What must hold once no thread has anything left to do.
  func checkEnd() throws(Violation) {
    let all = calls.joined().reduce(into: UInt16(0)) { all, call in
      switch call {
      case .perform(let work), .performUrgently(let work, _): all |= 1 << UInt16(work)
      case .enterForEver, .relieve: break
      }
    }
    if done != all { throw Violation(description: "work is lost: of \(all) only \(done) is done") }
    if word != 0 { throw Violation(description: "the word is \(word) when all have left") }
    if !queue.isEmpty || !backlog.isEmpty { throw Violation(description: "work is left when all have left") }
    if urgent != 0 { throw Violation(description: "an urgent step is still counted") }
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
    case .tryUrgently, .register, .setPendingUrgently, .lookUrgently, .enterUrgently:
      stepUrgently(index, &thread)
    case .claimRelief, .clearRelieved, .enterRelief:
      try stepToRelieve(index, &thread)
    case .over, .work, .leaving, .free, .checkUrgent, .checkPending, .clearPending, .takeQueue, .leavingAfterErrands,
      .freeAfterErrands, .checkUrgentFirst, .workOff, .giveWay:
      try stepInside(index, &thread)
    }
    threads[index] = thread
    let owners = threads.indices.filter { threads[$0].point.isOwners }
    if owners.count > 1 { throw Violation(description: "threads \(owners) have the turn at once") }
  }

  func me(_ index: Int) -> UInt8 { UInt8(index + 1) << 1 }

  /// The turn is given up: an urgent call then looks whether its step is done.
  func endTurn(_ index: Int, _ thread: inout Thread) {
    if thread.isRegistered {
      thread.point = .lookUrgently
    } else {
      endCall(index, &thread)
    }
  }

  func endCall(_ index: Int, _ thread: inout Thread) {
    let next = thread.call + 1
    thread = Thread()
    if case .enterForEver = calls[index][0] {
      thread.point = .begin
    } else if Int(next) < calls[index].count {
      thread.call = next
      thread.point = .begin
    }
  }

  func number(_ index: Int, _ thread: Thread) -> Int {
    switch calls[index][Int(thread.call)] {
    case .perform(let work), .performUrgently(let work, _): work
    case .enterForEver, .relieve: preconditionFailure("It leaves no work.")
    }
  }
}
