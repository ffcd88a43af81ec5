import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

/// The actions of open runs stand in such a snapshot in its own schema.
@Suite("Open runs in snapshots of earlier versions of the library", .timeLimit(.minutes(1)))
struct EarlierSnapshotTests {
  private let journal = UnsteadyJournal(MemoryJournal())

  /// Opens a store whose log begins with a snapshot that has an open run with this action.
  private func open(_ action: String, schema: StoreSchema<Stepped> = StoreSchema()) async throws -> Store<Stepped> {
    let first = try await Store.open(initial: [], interactor: Stepped { _, _ in }, journal: journal, key: "k")
    #expect(await first.send(.note("before")).outcome.kind == .finished)
    await first.shutdown()
    let payload = """
      {"epoch":{"host":"h","process":1,"time":0},"keys":[],"state":["before"],"runs":[
      {"resumed":2,"sequence":2,"steps":[{"kind":"step","name":"a","value":{"text":"[1]"}}],
      "takeUp":{"action":\(action),"handlesAgain":true,"isSendersKey":true,"key":"job","limit":5,"time":0}}]}
      """
    journal.answer(
      JournalSnapshot(sequence: 2, revision: 1, payload: Array(payload.utf8), schemaVersion: 1))
    return try await Store.open(
      initial: [],
      interactor: Stepped { run, number in
        let value = try await run.step("a") { _ in 2 }
        run.emit("\(number) \(value)")
      }, journal: journal, key: "k", schema: schema)
  }

  @Test("An open run of such a snapshot is handled again, with its steps, and is whole in the next snapshot")
  func readable() async throws {
    let store = try await open(#"{"handle":{"_0":7}}"#)
    #expect(await store.send(.handle(7), key: "job").outcome.kind == .finished)
    #expect(await store.state == ["before", "7 1"])
  }

  @Test(
    "An action of such a snapshot that cannot be decoded stops the opening, because the next snapshot would lose it")
  func unreadable() async throws {
    let error = await #expect(throws: JournalError.self) { _ = try await open(#"{"earlier":{}}"#) }
    #expect(error?.code == .corrupt && error?.sequence == 2)
    #expect(error?.description.hasPrefix("The action of an open run of \"k\" (record 2) cannot be decoded: ") == true)
  }
}
