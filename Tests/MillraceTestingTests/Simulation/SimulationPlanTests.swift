import Testing

@testable import MillraceTesting

@Suite("SimulationPlan")
struct SimulationPlanTests {
  @Test(
    "Its text says all of it, and is read back",
    arguments: [
      "417", "0 actions none", "417 actions 0,4 draws 2=1 steps 12=1,40=2",
      "18446744073709551615 draws none steps none",
    ])
  func roundTrip(text: String) throws {
    let plan = try #require(SimulationPlan(text))
    #expect(plan.description == text)
  }

  @Test(
    "A text that is none gives nil",
    arguments: [
      "", "x", "-1", "1 actions", "1 actions a", "1 actions 1,", "1 actions -1", "1 faults 1", "1 steps 1",
      "1 steps 1=2=3",
      "1 steps 1=-1", "1 draws 1=1 draws 2=1", "1 actions 0 4",
    ])
  func broken(text: String) {
    #expect(SimulationPlan(text) == nil)
  }

  @Test("A plan that cannot be read fails the test, with the fix")
  func unreadable() async {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(plan: "one") { _ in }
    }
    #expect(report.worlds == 0)
    #expect(
      failures.recorded.map(\.message) == [
        """
        'one' is no plan of a simulation; copy the whole text of the failure, such as '417 actions 0,4 draws none steps 12=1'.
        """
      ])
  }
}
