import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

@Suite("A key whose run ends its process", .timeLimit(.minutes(3)))
struct PoisonKeyTests {
  private let lives = PoisonedLives()
  private let incidents = Recorder<Incident>()
  private let wall = WallTime()

  private final class WallTime: Sendable {
    private let milliseconds = Atomic<Int64>(1_000_000)

    func load() -> Int64 { milliseconds.load(ordering: .relaxed) }
    func advance() { milliseconds.add(1, ordering: .relaxed) }
  }

  private func open(_ life: Int, hour: Int64 = 0, limits: StoresLimits = StoresLimits()) async throws -> (
    MortalJournal, Stores<String, Stepped>, TestClock
  ) {
    let (journal, handling) = lives.life(life)
    let clock = TestClock()
    var configuration = StoreConfiguration(clock: clock, wallTime: { [wall] in wall.load() + hour * 3_600_000 })
    configuration.report = { [incidents] in incidents.record($0) }
    let stores = try await Stores<String, Stepped>.open(
      name: "many", journal: journal, limits: limits, configuration: configuration, initial: { _ in [] }
    ) { _ in Stepped(handling) }
    return (journal, stores, clock)
  }

  /// The key of a number, of which that of the poison is opened first.
  private func key(_ number: Int) -> String { "\(10_000 + number)" }

  @Test("T8: of a key that ends its process, 950 that work and 50 that sleep, only the first one's run is abandoned")
  func manyKeys() async throws {
    for life in 0...10 {
      let (journal, stores, clock) = try await open(life)
      if life == 0 {
        stores.send(.handle(0), to: key(0))
        // So it was taken up before all others.
        try await lives.stuck.waitForArrivals(1)
        wall.advance()
        for number in 1...1_000 { stores.send(.handle(number), to: key(number)) }
      }
      if life < 3 {
        try await lives.stuck.waitForArrivals(951 * (life + 1))
        if life == 0 { try await clock.waitForSleepers(50) }
        journal.end()
      } else {
        #expect(try await lives.ended.next() == life)
      }
      // No key has a turn before all that have to be open are.
      #expect(lives.worked.load(ordering: .relaxed) == (life < 4 ? 0 : 950))
      withExtendedLifetime(stores) {}
    }
    let (_, stores, _) = try await open(11, hour: 1)
    for number in 1...1_000 {
      #expect(try await stores.wait(for: key(number), until: { !$0.isEmpty }) == ["done \(number)"])
    }
    #expect(try await stores.state(of: key(0)) == ["abandoned"])
    await stores.shutdown()
    #expect(incidents.recorded.map(\.kind).filter { $0 != .failedWake } == [.recoveryLimit])
    #expect(lives.most.load(ordering: .relaxed) == 1)
  }

  @Test("T8: keys whose runs wait for their turns stay in memory, and where these are all, the others are opened later")
  func live() async throws {
    for life in 0..<3 {
      let (journal, stores, _) = try await open(life)
      if life == 0 { for number in 1...20 { stores.send(.handle(number), to: key(number)) } }
      try await lives.stuck.waitForArrivals(20 * (life + 1))
      withExtendedLifetime(stores) { journal.end() }
    }
    let (_, stores, _) = try await open(3, limits: StoresLimits(live: 3, opening: 2))
    for number in 1...20 {
      #expect(try await stores.wait(for: key(number), until: { !$0.isEmpty }) == ["done \(number)"])
    }
    #expect(lives.most.load(ordering: .relaxed) == 1)
    await stores.shutdown()
  }
}
