import Testing

@testable import MillraceLoad

@Suite("LoadOptions")
struct LoadOptionsTests {
  private let scenario = LoadScenario("calls") { _ in }

  private func sentence(_ options: LoadOptions, _ scenario: LoadScenario? = nil) -> String? {
    do throws(LoadError) {
      try options.check(for: scenario ?? self.scenario)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("Options of a run that can be made are accepted")
  func accepted() {
    for mode in [LoadOptions.Mode.open(), .open(.ramp(from: 0, to: 5)), .closed(), .closed(concurrency: 3)] {
      #expect(sentence(LoadOptions(mode)) == nil)
    }
  }

  @Test("The least of each option is accepted")
  func least() {
    for mode in [LoadOptions.Mode.open(), .closed(concurrency: 1, thinkTime: .zero)] {
      let options = LoadOptions(
        mode, duration: .nanoseconds(1), warmUp: .zero, drain: .zero, users: 1, maximumInFlight: 1)
      #expect(sentence(options) == nil)
    }
  }

  @Test("Options that no run can have are refused in a sentence")
  func refused() {
    #expect(
      sentence(LoadOptions(duration: .zero))?.hasPrefix("A load run needs a duration above 0, but was given ") == true)
    #expect(
      sentence(LoadOptions(warmUp: .seconds(-1)))
        == "A load run's warm-up and drain may not be negative; leave them out, or give 0 or more.")
    #expect(
      sentence(LoadOptions(maximumInFlight: 0)) == "A load run needs at least 1 request in flight, but was given 0.")
    #expect(sentence(LoadOptions(users: 0)) == "A load run needs at least 1 user, but was given 0.")
    #expect(
      sentence(LoadOptions(.closed(concurrency: 0))) == "A closed loop needs at least 1 client, but was given 0.")
    #expect(sentence(LoadOptions(.closed(thinkTime: .seconds(-1))))?.hasPrefix("A client's think time may not") == true)
  }

  @Test(
    "A schedule without a request, or with a rate that is no number, is refused",
    arguments: [
      LoadSchedule.constant(0), .constant(-1), .constant(.nan), .constant(.infinity), .steps([]), .steps([5, -1]),
    ])
  func schedule(schedule: LoadSchedule) {
    #expect(sentence(LoadOptions(.open(schedule)))?.hasPrefix("A schedule's rates have to be finite numbers") == true)
  }

  @Test(
    "A rate of a scenario that no run can have is refused",
    arguments: [0, .timesCapacity(0, concurrency: 1), .timesCapacity(1, concurrency: 0)] as [LoadRate])
  func rate(rate: LoadRate) {
    #expect(sentence(LoadOptions(), LoadScenario("calls", rate: rate) { _ in }) != nil)
  }

  @Test("A run with such options throws the sentence, and makes no user")
  func run() async {
    let scenario = LoadScenario("calls") { _ in
      Issue.record("A user was made.")
    } perform: { (_: Void, _) in
    }
    await #expect(throws: LoadError.self) { try await scenario.run(LoadOptions(duration: .zero)) }
  }
}
