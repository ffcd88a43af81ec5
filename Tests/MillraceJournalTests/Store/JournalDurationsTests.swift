import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// Durations of any length and sign, which the options of a journal take.
@Suite("Durations of journals", .timeLimit(.minutes(1)))
struct JournalDurationsTests {
  private static let extremes: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(-1),
    .zero,
  ]

  @Test(
    "The options of a journal take every duration; without time a journal may have no answer",
    arguments: extremes)
  func times(_ time: Duration) async throws {
    var options = JournalOptions()
    (options.deadline, options.rememberedTime, options.keptForReaders) = (time, time, time)
    let journal = MemoryJournal()
    for _ in 0..<2 {
      do {
        let store = try await Store.open(
          initial: Accounts.State(), interactor: Accounts(), journal: journal, key: "account", options: options)
        _ = await store.send(.deposit(1), key: "a").outcome
        await store.shutdown(drainFor: time)
      } catch {
        #expect(time <= .zero, "\(error)")
      }
    }
  }

  @Test(
    "The stores of many keys take every duration",
    arguments: extremes)
  func stores(_ time: Duration) async throws {
    var limits = StoresLimits(idle: time)
    limits.idle = time
    let stores = try await ManyAccounts.accounts(MemoryJournal(), limits: limits)
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    #expect(try await stores.wait(for: "a", until: { _ in true }, timeout: time).balance == 2)
    let run = Task { await stores.run(drainFor: time) }
    run.cancel()
    await run.value
    #expect(await stores.shutdown(drainFor: time).isClean)
  }

  @Test(
    "Stores that processes share, and a journal in memory, take every lease",
    arguments: extremes)
  func lease(_ time: Duration) async throws {
    let (journal, clock) = (MemoryJournal(partitions: 2), TestClock())
    try await journal.join(.test(1), lease: time)
    #expect(try await journal.renew(JournalMember.test(1).id, lease: time) == (time > .zero))
    try await journal.leave(JournalMember.test(1).id)
    let stores = try await ManyAccounts.open(
      name: "accounts", journal: MemoryJournal(clock: clock), address: "here", lease: time,
      configuration: StoreConfiguration(clock: clock), initial: { _ in Accounts.State() },
      interactor: { _ in Accounts() })
    #expect(await stores.send(.deposit(1), to: "a").outcome.kind == .finished)
    await stores.shutdown()
  }

  @Test(
    "The check of a log takes every patience",
    arguments: extremes)
  func patience(_ time: Duration) async throws {
    let lives = Lives()
    let gate = Gate()
    let store = try await lives.open { _, _ in try await gate.enter() }
    store.send(.handle(1))
    try await gate.waitForArrivals(1)
    let check = try await JournalCheck.run(
      lives.journal, key: "k", initial: [], interactor: Stepped { run, _ in try await run.step("a") { _ in } },
      patience: time)
    #expect([.asks(["a"], unused: []), .doesNotReturn].contains(check.runs.first?.finding))
    if time > .zero { #expect(check.problems.isEmpty) }
  }
}
