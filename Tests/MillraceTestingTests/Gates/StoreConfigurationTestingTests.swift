import Millrace
import Testing

@testable import MillraceTesting

@Suite("StoreConfiguration for tests", .timeLimit(.minutes(1)))
struct StoreConfigurationTestingTests {
  /// Its handler fails, and nothing closes its actions.
  struct Failing: Interactor {
    struct Broken: Error {}

    func handle(_ action: Int, state: Int) async -> Effect<Self> {
      Effect { _ in throw Broken() }
    }

    static func reduce(into state: inout Int, mutation: Int) { state = mutation }
  }

  @Test("All incidents of all stores of a configuration are recorded, in the order in which they came")
  func recorded() async throws {
    let incidents = Recorder<Incident>()
    let configuration = StoreConfiguration.testing(incidents: incidents)
    let stores = (0..<2).map { _ in Store(initial: 0, interactor: Failing(), configuration: configuration) }
    var ids: [ActionID] = []
    for store in stores {
      for action in 0..<2 {
        let receipt = store.send(action)
        #expect(await receipt.outcome.kind == .failed)
        ids.append(receipt.id)
      }
    }
    let met = try await incidents.next(4)
    #expect(met.map(\.kind) == Array(repeating: .unhandledFailure, count: 4))
    #expect(met.map(\.action) == ids)
    #expect(met.allSatisfy { $0.error is Failing.Broken })
  }

  @Test("Without a recorder each incident fails the test, at the line where the configuration was made")
  func unexpected() async {
    let failures = Failures()
    let configuration = failures.collect { StoreConfiguration.testing(file: "Tests/Some.swift", line: 7) }
    let store = Store(initial: 0, interactor: Failing(), configuration: configuration)
    let receipt = store.send(1)
    #expect(await receipt.outcome.kind == .failed)
    let incident = Incident(.thunkFailure, of: Int.self, "A thunk threw.")
    configuration.report(incident)
    #expect(failures.lines == [7, 7])
    #expect(failures.files == ["Tests/Some.swift", "Tests/Some.swift"])
    let start = "A store of this test reported an incident (unhandledFailure): "
    #expect(failures.messages.first?.hasPrefix(start) == true)
    #expect(
      failures.messages.last == """
        A store of this test reported an incident (thunkFailure): A thunk threw. Mend its cause, or expect it: make the \
        configuration with testing(incidents:), and assert what the recorder has.
        """)
  }

  @Test("The other arguments are those of the configuration, with the same defaults")
  func others() {
    let clock = TestClock()
    let limits = StoreConfiguration.Limits(runsInFlight: 3)
    let made = StoreConfiguration.testing(
      clock: clock, random: SeededGenerator(seed: 5), limits: limits, handlersStart: .onPool)
    #expect(made.clock as? TestClock === clock)
    #expect(made.random is SeededGenerator)
    #expect(made.limits == limits)
    #expect(made.handlersStart == .onPool)
    let plain = StoreConfiguration.testing()
    #expect(plain.clock is ContinuousClock)
    #expect(plain.limits == StoreConfiguration().limits)
    #expect(plain.handlersStart == .onSender)
  }
}
