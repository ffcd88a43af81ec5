import MillraceTesting
import Testing

@testable import Millrace

/// Every overlap, and every way an action can end: what its receipt gets, that it is closed once, when the next one of the
/// key is taken up, and that the key is forgotten.
@Suite("Overlap and outcome", .timeLimit(.minutes(1)))
struct OverlapOutcomeTests {
  enum Kind: CaseIterable {
    case concurrent, serial, latest, exclusive, shared

    var plan: Plan {
      switch self {
      case .concurrent: .concurrent(max: 1, key: "k")
      case .serial: .serial(key: "k")
      case .latest: .latest(key: "k")
      case .exclusive: .exclusive(key: "k")
      case .shared: .shared(key: "k")
      }
    }

    /// Whether the next one waits for the handler of one that was cut.
    var waitsForTheHandler: Bool { self == .concurrent || self == .serial }
  }

  enum Ending: CaseIterable {
    case finished, failed, cancelledByReceipt, cancelledByKey, cancelledWithAll, superseded, timedOut, rejectedByDecide
    case notHandled, shutDown

    var kind: Outcome.Kind {
      switch self {
      case .finished: .finished
      case .failed: .failed
      case .cancelledByReceipt, .cancelledByKey, .cancelledWithAll: .cancelled
      case .superseded: .superseded
      case .timedOut: .timedOut
      case .rejectedByDecide, .notHandled: .rejected
      case .shutDown: .shutDown
      }
    }

    /// Whether it ends while its handler is out.
    var cancelsHandler: Bool {
      switch self {
      case .cancelledByReceipt, .cancelledByKey, .cancelledWithAll, .superseded, .timedOut, .shutDown: true
      case .finished, .failed, .rejectedByDecide, .notHandled: false
      }
    }
  }

  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let first = Probe("first")
  let next = Probe("next")
  let newest = Probe("newest")

  init() {
    store = Store(StoreConfiguration(clock: clock))
    next.open()
    newest.open()
  }

  /// The first action, which can end in this way.
  func action(_ ending: Ending, _ plan: Plan) -> ScriptedInteractor.Action {
    switch ending {
    case .failed: first.action(plan, throwing: Mishap())
    case .notHandled: first.action(plan, throwing: NotHandled())
    case .timedOut: first.action(plan.timeout(.seconds(10)))
    case .rejectedByDecide:
      ScriptedInteractor.Action.decide { _ in .reject(Mishap()) }.closed(as: "first").planned(plan)
    case .finished, .cancelledByReceipt, .cancelledByKey, .cancelledWithAll, .superseded, .shutDown: first.action(plan)
    }
  }

  /// Ends the first action in this way.
  func bringAbout(_ ending: Ending, _ receipt: Receipt) async throws {
    if ending == .rejectedByDecide { return }
    try await first.waitForStart()
    switch ending {
    case .finished, .failed, .notHandled: first.open()
    case .cancelledByReceipt: receipt.cancel()
    case .cancelledByKey: store.cancel(key: "k")
    case .cancelledWithAll: store.cancelAll()
    case .superseded: #expect(await store.send(newest.action(.latest(key: "k"))).outcome.kind == .finished)
    case .timedOut: clock.advance(by: .seconds(10))
    case .shutDown: await store.shutdown()
    case .rejectedByDecide: break
    }
  }

  @Test(
    "R1, R2, R4, R5: an action of any overlap that ends in any way is closed once, lets the next one in, and is forgotten",
    arguments: Kind.allCases, Ending.allCases)
  func anyOverlapAndAnyEnding(overlap: Kind, ending: Ending) async throws {
    let receipt = store.send(action(ending, overlap.plan))
    try await bringAbout(ending, receipt)
    #expect(await receipt.outcome.kind == ending.kind)
    let closings = await store.log.filter { $0.hasPrefix("first: ") }
    #expect(closings == (ending == .finished ? [] : ["first: \(ending.kind)"]))
    #expect(await receipt.lastRevision != nil)

    let following = store.send(next.action(overlap.plan))
    if ending == .shutDown {
      #expect(await following.rejectionKind == .shuttingDown)
    } else {
      // What was cut has its handler out; for the others it has returned.
      let waits = ending.cancelsHandler && overlap.waitsForTheHandler
      #expect(await store.log.contains("next begins") == !waits)
      first.open()
      #expect(await following.outcome.kind == .finished)
      await store.sweep("k")
    }
    first.open()
    #expect(await store.log.count { $0.hasPrefix("first: ") } == closings.count)
    #expect(await store.log.contains("first done") == [.finished, .failed, .notHandled].contains(ending))
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.timers.isEmpty } == true)
    #expect(await store.onRuns { $0?.scheduler.room.count } == 0)
  }

  @Test(
    "R2, R4: an action that ends while it waits for its turn is not closed, never starts, and lets those behind it in",
    arguments: [Kind.concurrent, .serial],
    [Ending.cancelledByReceipt, .cancelledByKey, .cancelledWithAll, .superseded, .timedOut, .shutDown])
  func oneThatWaits(overlap: Kind, ending: Ending) async throws {
    let holder = Probe("holder")
    store.send(holder.action(.exclusive(key: "k")))
    try await holder.waitForStart()
    let receipt = store.send(action(ending, overlap.plan))
    let behind = store.send(next.action(overlap.plan))
    #expect(await store.onRuns { $0?.scheduler.room.count } == 2)
    switch ending {
    case .cancelledByKey: store.cancel(key: "k")
    case .cancelledWithAll: store.cancelAll()
    case .superseded: #expect(await store.send(newest.action(.latest(key: "k"))).outcome.kind == .finished)
    case .timedOut: clock.advance(by: .seconds(10))
    case .shutDown: await store.shutdown()
    default: receipt.cancel()
    }
    #expect(await receipt.outcome.kind == ending.kind)
    #expect(await (receipt.firstCommit, receipt.lastRevision) == (nil, nil))
    holder.open()
    let isAlone = ending == .cancelledByReceipt || ending == .timedOut
    #expect(await behind.outcome.kind == (isAlone ? .finished : ending.kind))
    #expect(await !store.log.contains { $0.hasPrefix("first") })
    #expect(first.starts == 0)
    if ending != .shutDown { await store.sweep("k") }
    #expect(await store.keyCount == 0)
    #expect(await store.onRuns { $0?.scheduler.room.count } == 0)
  }

  @Test("R6: release ends those of any overlap as shut down, unclosed", arguments: Kind.allCases)
  func release(overlap: Kind) async throws {
    var released: Store<ScriptedInteractor>? = Store(StoreConfiguration(clock: clock))
    let closings = Notes<String>()
    var action = first.action(overlap.plan)
    action.close = { outcome in
      closings.note("\(outcome.kind)")
      return nil
    }
    var receipts = [released?.send(action)]
    try await first.waitForStart()
    if overlap.waitsForTheHandler || overlap == .shared {
      receipts.append(released?.send(next.action(overlap.plan)))
    }
    released = nil
    for receipt in receipts { #expect(await receipt?.outcome.kind == .shutDown) }
    #expect(closings.all.isEmpty)
    first.open()
  }
}
