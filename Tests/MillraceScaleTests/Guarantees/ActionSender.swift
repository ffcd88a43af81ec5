import MillraceTesting

@testable import Millrace

/// Sends actions to a store, and cancels them; checks what must hold at once, and writes down what must hold in the end.
///
/// What it asks the store without waiting is asked in the same step of the world, so that nothing comes between.
struct ActionSender: Sendable {
  /// The ways to cancel.
  enum Cancelling: CaseIterable {
    case receipt, key, all
  }

  /// An action that was sent.
  struct Sending: Sendable {
    let action: SimulatedAction
    let receipt: Receipt
    let time: Duration
    /// Whether it was sent while another one was, by a handler that began then.
    let isNested: Bool
    /// The revision before it was sent.
    let revision: Int
    /// The number of actions that could still wait before this one.
    let room: Int
    /// Whether an earlier one of its overlap had no outcome.
    let metOthers: Bool
    /// Whether it was decided, and whether it had its outcome, when `send` had returned.
    let decidedAtOnce: Bool
    let endedAtOnce: Bool
    /// The earlier ones that have got their outcome by it, and those that still wait undecided, by their numbers.
    let ended: [Int]
    let undecided: [Int]

    var hasEnded: Bool { receipt.hasEnded }
  }

  /// The actions that were cancelled, by number, and the revision when `cancel` had returned.
  struct Cut: Sendable {
    let actions: Set<Int>
    let revision: Int
  }

  /// The outcome of an action, and the number of its entries when the outcome was seen.
  struct Seen: Sendable {
    let outcome: Outcome.Kind
    let rejectionKind: Rejection.Kind?
    let entries: Int
    let time: Duration
  }

  struct Log: Sendable {
    /// In the order in which they were accepted.
    var sendings: [Sending] = []
    /// Whether one is being sent, and those that were sent meanwhile.
    var isSending = false
    var nested: [Sending] = []
    var cuts: [Cut] = []
    /// By the numbers of the actions.
    var seen: [Int: Seen] = [:]
    /// The instant at which the store was shut down.
    var shutDown: Duration?

    /// Adds one that has been sent; those that were sent meanwhile come behind it.
    mutating func add(_ sending: Sending) {
      if sending.isNested { return nested.append(sending) }
      sendings += [sending] + nested
      (isSending, nested) = (false, [])
    }
  }

  let world: World
  let store: Store<SimulatedInteractor>
  let limits: StoreConfiguration.Limits
  /// The way to cancel that does nothing, if one does.
  let omitted: Cancelling?
  let written: Box<Log>

  /// The log so far.
  var log: Log { written.value }

  /// Sends an action after its delay, and cancels what it says.
  func callAsFunction(_ action: SimulatedAction) async {
    try? await world.clock.sleep(for: action.delay)
    let sending = send(action)
    if let delay = action.cancelAfter {
      try? await world.clock.sleep(for: delay)
      cancel(.receipt, [sending]) { sending.receipt.cancel() }
    }
    if action.cancelsAll { cancel(.all, log.sendings) { store.cancelAll() } }
    // Those that are concurrent have no key.
    if action.cancelsKey, action.overlap != .concurrent {
      cancel(.key, log.sendings.filter { $0.action.overlap == action.overlap }) { store.cancel(key: action.overlap) }
    }
  }

  /// Sends an action now, and has its outcome awaited.
  @discardableResult
  func send(_ action: SimulatedAction) -> Sending {
    let (earlier, isNested) = (log.sendings + log.nested, log.isSending)
    let open = earlier.filter { !$0.hasEnded }
    let (revision, room) = (entries.count, limits.actionsWaiting - store.waitingAtOnce)
    written.update { $0.isSending = true }
    let receipt = store.send(action)
    let decided = Set(entries.map(\.action))
    let sending = Sending(
      action: action, receipt: receipt, time: world.clock.now.offset, isNested: isNested, revision: revision,
      room: room,
      metOthers: open.contains { $0.action.overlap == action.overlap },
      decidedAtOnce: decided.contains(action.number), endedAtOnce: receipt.hasEnded,
      ended: open.filter(\.hasEnded).map(\.action.number),
      undecided: open.filter { !$0.hasEnded && !decided.contains($0.action.number) }.map(\.action.number))
    written.update { $0.add(sending) }
    if !isNested { checkOverlap(sending, earlier.filter { $0.action.overlap == action.overlap }, decided) }
    Task { await awaitOutcome(of: sending) }
    return sending
  }

  /// Checks how an action has met the earlier ones of its key.
  private func checkOverlap(_ sending: Sending, _ earlier: [Sending], _ decided: Set<Int>) {
    switch sending.action.overlap {
    case .latest:
      world.expect(earlier.allSatisfy(\.hasEnded), "R4: the latest ends all earlier ones of its key")
    case .exclusive:
      world.expect(
        !sending.metOthers || sending.endedAtOnce && !sending.decidedAtOnce,
        "R4: while an exclusive one is open, another is dropped")
    case .shared:
      world.expect(
        !sending.decidedAtOnce || earlier.allSatisfy(\.hasEnded),
        "R4: of those that share a run the first is the one that is decided")
    case .debounced:
      world.expect(
        earlier.allSatisfy { $0.hasEnded || decided.contains($0.action.number) },
        "R4: one that is debounced takes the place of the one that waits")
    case .concurrent, .pair, .serial, .guarded: break
    }
  }

  private func cancel(_ way: Cancelling, _ cancelled: [Sending], _ cancel: () -> Void) {
    if way != omitted { cancel() }
    world.expect(
      cancelled.allSatisfy(\.hasEnded), "R3: when a cancel has returned, all accepted before it has its outcome")
    // A shared run continues for the others when one of them was cancelled by its receipt.
    let silent = cancelled.filter { way != .receipt || $0.action.overlap != .shared }.map(\.action.number)
    written.update { $0.cuts.append(Cut(actions: Set(silent), revision: entries.count)) }
  }

  private func awaitOutcome(of sending: Sending) async {
    let number = sending.action.number
    let outcome = await sending.receipt.outcome
    let count = entries.count { $0.action == number }
    let seen = Seen(
      outcome: outcome.kind, rejectionKind: outcome.rejectionKind, entries: count, time: world.clock.now.offset)
    world.expect(log.seen[number] == nil, "R1: an action has one outcome")
    written.update { $0.seen[number] = seen }
  }

  /// The commits so far.
  private var entries: [SimulatedInteractor.Entry] { store.snapshotAtOnce()?.state ?? [] }
}

extension Receipt {
  /// Whether there is an outcome.
  fileprivate var hasEnded: Bool { ticket?.hasEnded ?? true }
}

extension Store {
  /// The number of actions that wait, read without waiting for the store.
  nonisolated var waitingAtOnce: Int { core.performNow { $0.runs?.scheduler.room.count ?? 0 } ?? 0 }
}
