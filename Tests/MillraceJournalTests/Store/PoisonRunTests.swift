import MillraceTesting
import Synchronization
import Testing

@testable import Millrace
@testable import MillraceJournal

/// One run that ends each process that handles it, among 950 that work and 50 that sleep for an hour.
final class PoisonedLives: Sendable {
  let base = MemoryJournal()
  /// The handlers of the lives in which nothing answers.
  let stuck = Gate()
  /// The handler that has ended its process.
  let ended = Recorder<Int>()
  /// The most runs that worked at the same time while they had two deaths or more, and the number of them that have worked.
  let most = Atomic(0)
  let worked = Atomic(0)
  private let working = Atomic(0)
  private let never = Gate()

  static let healthy = 1...950
  static let asleep = 951...1_000

  /// The journal of a life, and a handler: until the third death no work is answered, and the poison waits for all handlers.
  func life(_ number: Int) -> (MortalJournal, Stepped.Handling) {
    let journal = MortalJournal(base)
    return (
      journal,
      { [self] run, action in
        if Self.asleep.contains(action) {
          try await run.sleep("hour", for: .seconds(3_600))
          run.emit("done \(action)", once: "done")
        } else if number < 3 {
          try await stuck.enter()
        } else if action == 0 {
          journal.end()
          ended.record(number)
          try await never.enter()
        } else {
          // Its step may have been stored without its end.
          if try await run.state.contains("done \(action)") { return }
          most.max(working.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          try await run.step("work", commit: { ["done \(action)"] }) { [self] _ in
            working.subtract(1, ordering: .relaxed)
            worked.add(1, ordering: .relaxed)
          }
        }
      }
    )
  }
}

@Suite("A run that ends its process", .timeLimit(.minutes(2)))
struct PoisonRunTests {
  private let lives = PoisonedLives()
  private let incidents = Recorder<Incident>()

  private func open(_ life: Int, hour: Int64 = 0) async throws -> (MortalJournal, Store<Stepped>, TestClock) {
    let (journal, handling) = lives.life(life)
    let clock = TestClock()
    var configuration = StoreConfiguration(clock: clock, wallTime: { 1_000_000 + hour * 3_600_000 })
    configuration.report = { [incidents] in incidents.record($0) }
    let store = try await Store.open(
      initial: [], interactor: Stepped(handling), journal: journal, key: "k", configuration: configuration)
    return (journal, store, clock)
  }

  @Test("T8: of a run that ends its process, 950 that work and 50 that sleep, only the first is abandoned")
  func oneStore() async throws {
    for life in 0...10 {
      let (journal, store, clock) = try await open(life)
      if life == 0 { for number in 0...1_000 { store.send(.handle(number)) } }
      if life < 3 {
        try await lives.stuck.waitForArrivals(951 * (life + 1))
        if life == 0 { try await clock.waitForSleepers(50) }
        journal.end()
      } else {
        #expect(try await lives.ended.next() == life)
      }
      // It had the turn first at the same count, and the others had it when its count was larger.
      #expect(lives.worked.load(ordering: .relaxed) == (life < 4 ? 0 : 950))
      withExtendedLifetime(store) {}
    }
    let (_, store, _) = try await open(11, hour: 1)
    await store.shutdown(drainFor: .seconds(60))
    let state = await store.state
    #expect(state.count == 1_001 && state.count { $0.hasPrefix("done ") } == 1_000)
    #expect(state.filter { !$0.hasPrefix("done ") } == ["abandoned"])
    #expect(incidents.recorded.map(\.kind) == [.recoveryLimit])
    #expect(lives.most.load(ordering: .relaxed) == 1)
  }
}
