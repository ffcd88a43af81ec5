import Testing

@testable import Millrace
@testable import MillraceTesting

/// Stores whose runs go otherwise than they should: the checks of ``ErrandWorld`` are worth what they find.
@Suite("Altered stores, simulated")
struct MutantTests {
  enum Mutant: CaseIterable {
    case closingLostWhileRunning, closingLostWhileWaiting, closingOfWhatWasNotTakenUp
    case placeFreedBeforeHandlerReturns, slotFreedBeforeHandlerReturns, placeKept, slotKept, placeKeptByCut,
      slotKeptByCut
    case endIgnored, endForgetsHandler, beginNotCounted, returnNotCounted, takeUpForgotten

    /// What this mutant does at an event; the rest it leaves as it is.
    func alter(_ phase: inout RunPhase, _ event: RunPhase.Event) -> RunPhase.Consequences {
      let before = phase
      var consequences = phase.advance(event)
      switch (self, event) {
      case (.closingLostWhileRunning, .end):
        if before.isInFlight { consequences.remove(.askClosing) }
      case (.closingLostWhileWaiting, .end):
        if before.stage == .takenUp { consequences.remove(.askClosing) }
      case (.closingOfWhatWasNotTakenUp, .end):
        if before.stage == .accepted { consequences.insert(.askClosing) }
      case (.placeFreedBeforeHandlerReturns, .end):
        if before.isInFlight { consequences.insert(.freePlace) }
      case (.slotFreedBeforeHandlerReturns, .end):
        if before.isInFlight, before.handlersOut > 0 { consequences.insert(.freeSlot) }
      case (.placeKept, .end), (.placeKept, .handlerReturned):
        consequences.remove(.freePlace)
      case (.slotKept, .end), (.slotKept, .handlerReturned):
        consequences.remove(.freeSlot)
      case (.placeKeptByCut, .handlerReturned):
        consequences.remove(.freePlace)
      case (.slotKeptByCut, .handlerReturned):
        consequences.remove(.freeSlot)
      case (.endIgnored, .end):
        if before.isInFlight {
          phase = before
          return []
        }
      case (.endForgetsHandler, .end):
        phase.handlersOut = 0
      case (.beginNotCounted, .begin):
        phase.handlersOut = before.handlersOut
      case (.returnNotCounted, .handlerReturned):
        phase.handlersOut = before.handlersOut
      case (.takeUpForgotten, .takeUp):
        phase.stage = .accepted
      default: break
      }
      return consequences
    }
  }

  @Test("A store that is altered so is found out within 1,000 seeds", arguments: Mutant.allCases)
  func isFound(mutant: Mutant) async {
    let rule = await ErrandWorld(
      altered: { StoreConfiguration($0, altering: { mutant.alter(&$0, $1) }) }
    ).brokenRule()
    #expect(rule != nil)
  }

  @Test(
    "A store with an order the wrong way round is found out by the rule for it within 1,000 seeds",
    arguments: [(SwappedOrders.turns, "L2: "), (.closings, "R2, R4: ")])
  func isFound(swapped: SwappedOrders, rule: String) async {
    let broken = await ErrandWorld(altered: { StoreConfiguration($0, swapping: swapped) }).brokenRule()
    #expect(broken?.contains(": this does not hold: \(rule)") == true, "\(broken ?? "none")")
  }

  /// The unaltered store has more seeds in `GuaranteeSimulationTests`; these show that to alter nothing changes nothing.
  @Test("A store that is altered in nothing breaks no rule in 250 seeds")
  func control() async {
    let rule = await ErrandWorld(
      altered: { StoreConfiguration(StoreConfiguration($0, altering: { $0.advance($1) }), swapping: []) }
    ).brokenRule(seeds: 250)
    #expect(rule == nil)
  }
}
