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

  @Test("A warm-up, a drain and a think time of 0 are none")
  func zero() throws {
    let options = try command("--closed", "--warm-up", "0", "--drain", "0", "--think", "0").options
    #expect(options.warmUp == .zero && options.drain == .zero)
    guard case .closed(nil, .zero) = options.mode else { return #expect(Bool(false), "\(options.mode)") }
  }

  @Test(
    "A value that does not fit is refused in a sentence with the fix",
    arguments: [
      (["--scenario", "cart"], "There is no scenario 'cart'; choose one of carts, pages, storm."),
      (
        ["--rate", "0"],
        "--rate needs a number of requests a second above 0 and up to 1000000000, but was given '0'; write for example --rate 2000."
      ),
      (
        ["--rate", "nan"],
        "--rate needs a number of requests a second above 0 and up to 1000000000, but was given 'nan'; write for example --rate 2000."
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
      (["--at-most", "5"], "--at-most belongs to --find-limit; add that, or leave --at-most out."),
      (
        ["--fail-if", "errors > 1 %"],
        "--fail-if needs finished, failed, rejected, throughput, max or a percentile, then >, >=, < or <=, and a number, a share or a time, but was given 'errors > 1 %'; write for example --fail-if 'failed > 1 %' or --fail-if 'p99 > 50ms'."
      ),
      (
        ["--find-limit", "p99<=10ms", "--fail-if", "failed > 0"],
        "--find-limit looks for a rate that is too high, so it takes no --fail-if; leave one of the two out."
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

  @Test(
    "A rate is at most a billion requests a second",
    arguments: [(999_999_999, true), (1_000_000_000, true), (1_000_000_001, false)])
  func largestRate(rate: Int, isTaken: Bool) {
    #expect(((try? command("--rate", "\(rate)")) != nil) == isTaken)
  }

  @Test(
    "A number of clients, users or requests in flight is at least 1 and has a largest value",
    arguments: [("--clients", 1_000_000), ("--users", 10_000_000), ("--max-in-flight", 100_000_000)])
  func ranges(flag: String, most: Int) {
    for number in [1, 2, most - 1, most] {
      #expect(throws: Never.self, "\(number)") { try command("--closed", flag, "\(number)") }
    }
    for number in [0, most + 1] {
      #expect(throws: FlagError.self, "\(number)") { try command("--closed", flag, "\(number)") }
    }
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
    let usage = LoadCommand.flags(command: "load", scenarios).usage
    #expect(
      usage.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("carts (fills carts), pages, storm"))
    #expect(usage.split(separator: "\n").filter { $0.hasPrefix("  ") }.allSatisfy { $0.count <= 80 })
  }
}
