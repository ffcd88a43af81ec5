import MillraceTesting
import Testing

@testable import Millrace

@Suite("Planning", .timeLimit(.minutes(1)))
struct PlanningTests {
  static let invalid: [(plan: Plan, problem: PlanProblem)] = [
    (.concurrent(max: 0, key: "k"), .maximum),
    (.serial(key: Double.nan), .key),
    (.concurrent.debounce(.seconds(1)), .needsKey),
    (.serial(key: "k").debounce(.seconds(1)).throttle(.seconds(1)), .pacing),
    (.serial(key: "k").throttle(.seconds(1), leading: false, trailing: false), .throttle),
    (.serial(key: "k").debounce(.zero), .interval),
    (.concurrent.timeout(.seconds(-1)), .timeout),
    (.serial(key: "k").limited(to: 2, key: "k"), .limitedTwice),
    (.latest(key: "k").spacing(.seconds(1)), .spacing),
    (.concurrent.retry(0), .attempts),
    (.concurrent.retry(2, backoff: .constant(.seconds(-1))), .backoff),
    (.concurrent.retry(2, jitter: 2), .jitter),
    (.serial(key: "k").retry(2, budget: Plan.RetryBudget(capacity: 0, refill: .seconds(1))), .budget),
    (.serial(key: "k").breaker(Plan.Breaker(failures: 0)), .breaker),
  ]

  @Test("An action whose plan contradicts itself is rejected undecided, and each problem is reported once a store")
  func invalidPlans() async throws {
    let incidents = Recorder<Incident>()
    var configuration = StoreConfiguration()
    configuration.report = { incidents.record($0) }
    let store = Store(configuration)
    for (plan, problem) in PlanningTests.invalid {
      let receipts = (0..<2).map { _ in store.send(ScriptedInteractor.Action.commit("a").closed().planned(plan)) }
      for receipt in receipts {
        guard case .rejected(.invalidPlan(let description)) = await receipt.outcome else {
          Issue.record("\(problem) was not rejected")
          continue
        }
        #expect(description == problem.description)
      }
      let incident = try await incidents.next()
      #expect(incident.kind == .invalidPlan)
      #expect(incident.action == receipts[0].id)
      #expect(
        incident.description
          == "MillraceTests.ScriptedInteractor rejected an action of type MillraceTests.ScriptedInteractor.Action because its plan contradicts "
          + "itself. \(problem.description)")
    }
    #expect(incidents.recorded.count == PlanProblem.allCases.count)
    #expect(await store.log == [])
    #expect(await store.keyCount == 0)
    #expect(await store.metrics.rejections[.invalidPlan] == 2 * PlanProblem.allCases.count)
    #expect(await store.send(.commit("next")).outcome.kind == .finished)
  }
}
