import MillraceFlags
import Testing

@testable import MillraceLoad

@Suite("LoadCommand")
struct LoadCommandTests {
  private let scenarios = [
    LoadScenario("carts", summary: "fills carts", rate: 200) { _ in }, LoadScenario("pages") { _ in },
    LoadScenario("storm", rate: .timesCapacity(2, concurrency: 8)) { _ in },
  ]

  private func command(_ arguments: String...) throws -> LoadCommand {
    try LoadCommand(LoadCommand.flags(command: "load", scenarios).parse(arguments), scenarios)
  }

  @Test("Without flags the first scenario runs at its rate for ten seconds, after one second of warm-up")
  func defaults() throws {
    let command = try command()
    #expect(command.scenario.name == "carts")
    guard case .open(nil) = command.options.mode else { return #expect(Bool(false), "\(command.options.mode)") }
    #expect(command.options.duration == .seconds(10) && command.options.warmUp == .seconds(1))
    #expect(command.options.maximumInFlight == 100_000 && command.options.users == nil)
    #expect(command.condition == nil && command.reportPath == nil && !command.isJSON)
  }

  @Test(
    "A shape becomes the schedule of the rate",
    arguments: [
      ("constant", LoadSchedule.constant(10)), ("poisson", .poisson(10)), ("ramp", .ramp(from: 0, to: 10)),
      ("steps", .steps([2, 4, 6, 8, 10])), ("spike", .spike(10, peak: 100)),
    ])
  func shapes(name: String, schedule: LoadSchedule) throws {
    guard case .open(let made) = try command("--schedule", name, "--rate", "10").options.mode else {
      return #expect(Bool(false))
    }
    #expect(made == schedule)
  }

  @Test("A shape without a rate has that of the scenario")
  func shapeOfScenario() throws {
    guard case .open(let made) = try command("--schedule", "poisson").options.mode else { return #expect(Bool(false)) }
    #expect(made == .poisson(200))
  }

  @Test("A closed loop has clients and a think time")
  func closed() throws {
    let mode = try command("--closed", "--clients", "7", "--think", "0.5").options.mode
    guard case .closed(7, .milliseconds(500)) = mode else { return #expect(Bool(false), "\(mode)") }
  }

  @Test(
    "A value that does not fit is refused in a sentence with the fix",
    arguments: [
      (["--scenario", "cart"], "There is no scenario 'cart'; choose one of carts, pages, storm."),
      (
        ["--rate", "0"],
        "--rate needs a number of requests a second above 0, but was given '0'; write for example --rate 2000."
      ),
      (
        ["--rate", "nan"],
        "--rate needs a number of requests a second above 0, but was given 'nan'; write for example --rate 2000."
      ),
      (
        ["--schedule", "flat"],
        "--schedule needs constant, poisson, ramp, steps or spike, but was given 'flat'; write for example --schedule poisson."
      ),
      (["--think", "1"], "--think belongs to --closed; add that, or leave --think out."),
      (
        ["--closed", "--rate", "5"],
        "--closed sends a request when the last one has ended, so it takes no --rate; leave one of the two out."
      ),
      (
        ["--find-limit", "p99<10ms"],
        "--find-limit: 'p99<10ms' is no condition on a latency; write a percentile, <= and a time, such as p99<=10ms."
      ),
      (
        ["--find-limit", "p99<=10ms", "--for", "5"],
        "--find-limit chooses rate and duration itself; leave out --for."
      ),
      (
        ["--scenario", "storm", "--schedule", "ramp"],
        "--schedule needs a rate here; write for example --rate 2000 --schedule ramp."
      ),
    ])
  func refused(arguments: [String], sentence: String) throws {
    let flags = LoadCommand.flags(command: "load", scenarios)
    let error = #expect(throws: FlagError.self) { try LoadCommand(flags.parse(arguments), scenarios) }
    #expect(error?.message == sentence)
  }

  @Test("A program without a scenario says so")
  func noScenario() throws {
    let error = #expect(throws: FlagError.self) {
      try LoadCommand(LoadCommand.flags(command: "load", []).parse([]), [])
    }
    #expect(error?.message == "This program has no scenario; give MillraceLoad.main one.")
  }

  @Test("The help text has each scenario with its summary")
  func help() {
    #expect(LoadCommand.flags(command: "load", scenarios).usage.contains("carts (fills carts), pages, storm"))
  }
}
