import Millrace
import MillraceJournal
import Testing

/// Durations of any length and sign, which the options of a journal take.
@Suite("Durations of journals", .timeLimit(.minutes(1)))
struct JournalDurationsTests {
  @Test(
    "The options of a journal take every duration; without time a journal may have no answer",
    arguments: [
      Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
      .seconds(-1), .zero,
    ])
  func times(_ time: Duration) async throws {
    var options = JournalOptions()
    (options.deadline, options.rememberedTime) = (time, time)
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
}
