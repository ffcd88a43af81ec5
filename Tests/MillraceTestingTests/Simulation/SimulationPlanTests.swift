import Testing

@testable import MillraceTesting

@Suite("Simulation.Plan")
struct SimulationPlanTests {
  @Test(
    "Its text says all of it, and is read back",
    arguments: [
      "417", "0 actions none", "417 actions 0,4 draws 1.2.0=1 steps 1.0=1,1.1.3=2,2.0=1",
      "18446744073709551615 draws none steps none",
    ])
  func roundTrip(text: String) throws {
    let plan = try #require(Simulation.Plan(text))
    #expect(plan.description == text)
  }

  @Test(
    "A text that is none gives nil",
    arguments: [
      "", "x", "-1", "1 actions", "1 actions a", "1 actions 1,", "1 actions -1", "1 faults 1", "1 steps 1",
      "1 steps 1.0=2=3",
      "1 steps 1.0=-1", "1 draws 1.0=1 draws 1.1=1", "1 actions 0 4", "1 draws 1=1", "1 steps 1.-1=1", "1 steps 1..1=1",
    ])
  func broken(text: String) {
    #expect(Simulation.Plan(text) == nil)
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
        'one' is no plan of a simulation; copy the whole text of the failure, such as '417 actions 0,4 draws none steps 1.1.3=2'.
        """
      ])
  }

  @Test("A plan of a version that counted draws and steps without regard to tasks is refused with a sentence")
  func earlierVersion() async {
    let failures = Recorder<Failure>()
    for text in ["417 actions 0,4 draws 2=1 steps none", "417 steps 12=1"] {
      let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
        await Simulation.run(plan: text) { _ in }
      }
      #expect(report.worlds == 0 && Simulation.Plan(text) == nil)
    }
    #expect(
      failures.recorded.map(\.message)
        == ["actions 0,4 draws 2=1 steps none", "steps 12=1"].map { choices in
          """
          '417 \(choices)' is a plan of an earlier version of Millrace, which counted draws and steps without regard to tasks; \
          run its seed again by Simulation.run(seed: 417), and copy the plan of that failure.
          """
        })
  }
}
