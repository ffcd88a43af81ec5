import Millrace
import Testing

@testable import MillraceTesting

/// Stores that do without a part of what is guaranteed: the checks of ``GuaranteeWorld`` notice that it is gone.
@Suite("Stores without a guarantee, simulated")
struct OmissionTests {
  /// SimulatedInteractor of one way to meet that meet in another way, under the same key.
  struct Exchange: CustomTestStringConvertible {
    let asked: SimulatedAction.Overlap
    let given: SimulatedAction.Overlap

    var testDescription: String { "\(asked) as \(given)" }

    func plan(_ action: SimulatedAction) -> Plan {
      action.plan(overlap: action.overlap == asked ? given : action.overlap)
    }
  }

  static let exchanges: [Exchange] = [
    Exchange(asked: .latest, given: .concurrent), Exchange(asked: .latest, given: .serial),
    Exchange(asked: .latest, given: .exclusive), Exchange(asked: .latest, given: .shared),
    Exchange(asked: .exclusive, given: .concurrent), Exchange(asked: .exclusive, given: .serial),
    Exchange(asked: .exclusive, given: .latest), Exchange(asked: .exclusive, given: .shared),
    Exchange(asked: .shared, given: .concurrent), Exchange(asked: .shared, given: .serial),
    Exchange(asked: .shared, given: .latest), Exchange(asked: .shared, given: .exclusive),
    Exchange(asked: .serial, given: .concurrent), Exchange(asked: .serial, given: .pair),
    Exchange(asked: .pair, given: .concurrent), Exchange(asked: .guarded, given: .concurrent),
  ]

  @Test("R4: another overlap than the plan's is found within 1,000 seeds", arguments: exchanges)
  func overlap(exchange: Exchange) async {
    let broken = await GuaranteeWorld(plans: exchange.plan).brokenRule()
    #expect(broken?.contains("R4: ") == true, "\(broken ?? "none")")
  }

  /// A part of a plan that is left out.
  enum Oblivion: CaseIterable {
    case timeout, attemptTimeout, debounce, breaker

    func plan(_ action: SimulatedAction) -> Plan {
      var action = action
      switch self {
      case .timeout: action.timeout = nil
      case .attemptTimeout: action.attemptTimeout = nil
      case .debounce: return action.plan(overlap: action.overlap == .debounced ? .latest : action.overlap)
      case .breaker: return action.plan(overlap: action.overlap == .guarded ? .serial : action.overlap)
      }
      return action.plan
    }

    var rule: String { self == .breaker ? "Breaker: nothing passes" : "Time: " }
  }

  @Test("A timeout, debounce or breaker that is left out is found within 1,000 seeds", arguments: Oblivion.allCases)
  func time(oblivion: Oblivion) async {
    let broken = await GuaranteeWorld(plans: oblivion.plan).brokenRule()
    #expect(broken?.contains(": this does not hold: \(oblivion.rule)") == true, "\(broken ?? "none")")
  }

  @Test("R3: a cancel that does nothing is found within 1,000 seeds", arguments: ActionSender.Cancelling.allCases)
  func cancel(way: ActionSender.Cancelling) async {
    let broken = await GuaranteeWorld(omitted: way).brokenRule()
    #expect(broken?.contains(": this does not hold: R3: ") == true, "\(broken ?? "none")")
  }

  /// Limits in place of those that a store should keep.
  enum Laxity: CaseIterable {
    case moreRoom, moreSlots, lessRoom, dropsForRejects, rejectsForDrops, newestForOldest, oldestForNewest

    func limits(for limits: StoreConfiguration.Limits) -> StoreConfiguration.Limits {
      var limits = limits
      switch (self, limits.onOverflow) {
      case (.moreRoom, _): limits.actionsWaiting += 1
      case (.moreSlots, _): limits.runsInFlight += 1
      case (.lessRoom, _): limits.actionsWaiting -= 1
      case (.dropsForRejects, .reject): limits.onOverflow = .dropOldest
      case (.rejectsForDrops, .dropOldest), (.rejectsForDrops, .dropNewest): limits.onOverflow = .reject
      case (.newestForOldest, .dropOldest): limits.onOverflow = .dropNewest
      case (.oldestForNewest, .dropNewest): limits.onOverflow = .dropOldest
      case (.dropsForRejects, _), (.rejectsForDrops, _), (.newestForOldest, _), (.oldestForNewest, _): break
      }
      return limits
    }
  }

  @Test("A1: limits that are not those of the store are found within 1,000 seeds", arguments: Laxity.allCases)
  func limits(laxity: Laxity) async {
    let world = GuaranteeWorld(
      altered: { configuration in
        var configuration = configuration
        configuration.limits = laxity.limits(for: configuration.limits)
        return configuration
      })
    let broken = await world.brokenRule()
    #expect(broken?.contains(": A1: ") == true, "\(broken ?? "none")")
  }
}
