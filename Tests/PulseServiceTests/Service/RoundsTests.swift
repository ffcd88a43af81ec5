import Testing

@testable import PulseService

@Suite("Rounds")
struct RoundsTests {
  /// The times at which something is due, with the words of it, for a schedule that sleeps until the next time, or for longer.
  private func schedule(
    _ rounds: inout Rounds, _ endpoints: [Endpoint], until end: Duration, late: [Duration: Duration] = [:]
  ) -> [String] {
    var lines: [String] = []
    while rounds.next <= end {
      let time = rounds.next + (late[rounds.next] ?? .zero)
      let due = rounds.due(of: endpoints, at: time)
      let names = (due.isRound ? ["round"] : []) + due.endpoints.map(\.name)
      lines.append("\(Units.seconds(time)): \(names.joined(separator: " "))")
    }
    return lines
  }

  private func endpoint(_ name: String, every interval: Duration?) throws -> Endpoint {
    var endpoint = try Endpoint("http://\(name)")
    endpoint.interval = interval
    return endpoint
  }

  @Test("An endpoint is probed in its own interval, whether that is shorter or longer than that of the rounds")
  func own() throws {
    var rounds = Rounds(every: .seconds(10))
    let endpoints = [
      try endpoint("plain", every: nil), try endpoint("fast", every: .seconds(4)),
      try endpoint("slow", every: .seconds(25)),
    ]
    #expect(
      schedule(&rounds, endpoints, until: .seconds(30)) == [
        "0 s: round http://plain http://fast http://slow", "4 s: http://fast", "8 s: http://fast",
        "10 s: round http://plain", "12 s: http://fast", "16 s: http://fast", "20 s: round http://plain http://fast",
        "24 s: http://fast", "25 s: http://slow", "28 s: http://fast", "30 s: round http://plain",
      ])
  }

  @Test("Times that were missed are left out, and those behind them stay what they are")
  func missed() throws {
    var rounds = Rounds(every: .seconds(2))
    let endpoints = [try endpoint("plain", every: nil), try endpoint("own", every: .seconds(3))]
    #expect(
      schedule(&rounds, endpoints, until: .seconds(10), late: [.seconds(2): .seconds(5.5)]) == [
        "0 s: round http://plain http://own", "7.5 s: round http://plain http://own", "8 s: round http://plain",
        "9 s: http://own", "10 s: round http://plain",
      ])
  }

  @Test("An interval that is changed applies at once, and an endpoint that was removed is forgotten")
  func changed() throws {
    var rounds = Rounds(every: .seconds(10))
    let slow = try endpoint("a", every: .seconds(20))
    let fast = try endpoint("a", every: .seconds(1))
    #expect(rounds.due(of: [slow], at: .zero).endpoints == [slow])
    #expect(rounds.due(of: [slow], at: .seconds(10)).endpoints.isEmpty && rounds.next == .seconds(20))
    #expect(rounds.due(of: [fast], at: .seconds(10)) == .init(isRound: false, endpoints: [fast]))
    #expect(rounds.next == .seconds(11))
    #expect(rounds.due(of: [], at: .seconds(11)).endpoints.isEmpty && rounds.next == .seconds(20))
    #expect(rounds.due(of: [slow], at: .seconds(12)).endpoints == [slow])
  }

  @Test("An interval far below what a machine can do does not stall")
  func tiny() throws {
    var rounds = Rounds(every: .nanoseconds(1))
    let endpoints = [try endpoint("a", every: .nanoseconds(3))]
    #expect(rounds.due(of: endpoints, at: .seconds(1_000_000)).endpoints == endpoints)
    #expect(rounds.next == .seconds(1_000_000) + .nanoseconds(1))
  }
}
