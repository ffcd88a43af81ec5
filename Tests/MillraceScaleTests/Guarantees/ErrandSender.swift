import MillraceTesting

@testable import Millrace

/// Sends errands to a store, and cancels them; checks what must hold at once, and writes down what must hold in the end.
///
/// What it asks the store without waiting is asked in the same step of the world, so that nothing comes between.
struct ErrandSender: Sendable {
  /// The ways to cancel.
  enum Cancelling: CaseIterable {
    case receipt, key, all
  }

  /// An errand that was sent.
  struct Sending: Sendable {
    let errand: Errand
    let receipt: Receipt
    let time: Duration
    /// Whether it was sent while another one was, by a handler that began then.
    let isNested: Bool
    /// The revision before it was sent.
    let revision: Int
    /// The number of errands that could still wait before this one.
    let room: Int
    /// Whether an earlier one of its meeting had no outcome.
    let metOthers: Bool
    /// Whether it was decided, and whether it had its outcome, when `send` had returned.
    let decidedAtOnce: Bool
    let endedAtOnce: Bool
    /// The earlier ones that have got their outcome by it, and those that still wait undecided, by their numbers.
    let ended: [Int]
    let undecided: [Int]

    var hasEnded: Bool { receipt.hasEnded }
  }

  /// The errands that were cancelled, by number, and the revision when `cancel` had returned.
  struct Cut: Sendable {
    let errands: Set<Int>
    let revision: Int
  }

  /// The outcome of an errand, and the number of its entries when the outcome was seen.
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
    /// By the numbers of the errands.
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
  let store: Store<Errands>
  let limits: StoreConfiguration.Limits
  /// The way to cancel that does nothing, if one does.
  let omitted: Cancelling?
  let written: Box<Log>

  /// The log so far.
  var log: Log { written.value }

  /// Sends an errand after its delay, and cancels what it says.
  func callAsFunction(_ errand: Errand) async {
    try? await world.clock.sleep(for: errand.delay)
    let sending = send(errand)
    if let delay = errand.cancelAfter {
      try? await world.clock.sleep(for: delay)
      cancel(.receipt, [sending]) { sending.receipt.cancel() }
    }
    if errand.cancelsAll { cancel(.all, log.sendings) { store.cancelAll() } }
    // Those that are concurrent have no key.
    if errand.cancelsKey, errand.meeting != .concurrent {
      cancel(.key, log.sendings.filter { $0.errand.meeting == errand.meeting }) { store.cancel(key: errand.meeting) }
    }
  }

  /// Sends an errand now, and has its outcome awaited.
  @discardableResult
  func send(_ errand: Errand) -> Sending {
    let (earlier, isNested) = (log.sendings + log.nested, log.isSending)
    let open = earlier.filter { !$0.hasEnded }
    let (revision, room) = (entries.count, limits.actionsWaiting - store.waitingAtOnce)
    written.update { $0.isSending = true }
    let receipt = store.send(errand)
    let decided = Set(entries.map(\.errand))
    let sending = Sending(
      errand: errand, receipt: receipt, time: world.clock.now.offset, isNested: isNested, revision: revision,
      room: room,
      metOthers: open.contains { $0.errand.meeting == errand.meeting },
      decidedAtOnce: decided.contains(errand.number), endedAtOnce: receipt.hasEnded,
      ended: open.filter(\.hasEnded).map(\.errand.number),
      undecided: open.filter { !$0.hasEnded && !decided.contains($0.errand.number) }.map(\.errand.number))
    written.update { $0.add(sending) }
    if !isNested { checkMeeting(sending, earlier.filter { $0.errand.meeting == errand.meeting }, decided) }
    Task { await awaitOutcome(of: sending) }
    return sending
  }

  /// Checks how an errand has met the earlier ones of its key.
  private func checkMeeting(_ sending: Sending, _ earlier: [Sending], _ decided: Set<Int>) {
    switch sending.errand.meeting {
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
        earlier.allSatisfy { $0.hasEnded || decided.contains($0.errand.number) },
        "R4: one that is debounced takes the place of the one that waits")
    case .concurrent, .pair, .serial, .guarded: break
    }
  }

  private func cancel(_ way: Cancelling, _ cancelled: [Sending], _ cancel: () -> Void) {
    if way != omitted { cancel() }
    world.expect(
      cancelled.allSatisfy(\.hasEnded), "R3: when a cancel has returned, all accepted before it has its outcome")
    // A shared run continues for the others when one of them was cancelled by its receipt.
    let silent = cancelled.filter { way != .receipt || $0.errand.meeting != .shared }.map(\.errand.number)
    written.update { $0.cuts.append(Cut(errands: Set(silent), revision: entries.count)) }
  }

  private func awaitOutcome(of sending: Sending) async {
    let number = sending.errand.number
    let outcome = await sending.receipt.outcome
    let count = entries.count { $0.errand == number }
    let seen = Seen(
      outcome: outcome.kind, rejectionKind: outcome.rejectionKind, entries: count, time: world.clock.now.offset)
    world.expect(log.seen[number] == nil, "R1: an action has one outcome")
    written.update { $0.seen[number] = seen }
  }

  /// The commits so far.
  private var entries: [Errands.Entry] { store.snapshotAtOnce()?.state ?? [] }
}

extension Receipt {
  /// Whether there is an outcome.
  fileprivate var hasEnded: Bool { ticket?.hasEnded ?? true }
}

extension Store {
  /// The number of actions that wait, read without waiting for the store.
  nonisolated var waitingAtOnce: Int { core.performNow { $0.runs?.scheduler.room.count ?? 0 } ?? 0 }
}
