import Millrace
import MillraceFlags
import MillraceJournal
import MillraceTesting
import Testing

@testable import MillraceCommand

@Suite("Open runs of a journal", .timeLimit(.minutes(1)))
struct JournalRunsTests {
  private let journal = MemoryJournal()
  private let gate = Gate()

  private func runs(minutesLater: Int64 = 0) -> JournalRuns<UntypedJournal> {
    JournalRuns(
      journal: journal, types: UntypedJournal(command: "millrace journal"), command: "millrace journal",
      place: "'shop.journal'",
      now: Charges.time + minutesLater * 60_000)
  }

  private func list(_ key: JournalKey = "orders", minutesLater: Int64 = 0) async throws -> String {
    var text = ""
    try await runs(minutesLater: minutesLater).list(key) { text += $0 }
    return text
  }

  /// Opens a store whose handlers do the steps of a number and stay at the gate; it is crashed by an opening after it.
  private func openStore(_ key: JournalKey = "orders", plan: Plan = .concurrent.recovery(.handleAgain(limit: 3)))
    async throws -> Store<Charges>
  {
    try await Charges.open(journal, key: key, plan: plan) { [gate] run, order in
      if order > 0 { try await run.step("ask", commit: { (_: Int) in ["asked"] }) { _ in 7 } }
      if order > 1 {
        _ = try? await run.step("ship") { _ in throw ShipFailure() }
        run.emit("not shipped")
      }
      try await gate.enter()
    }
  }

  private struct ShipFailure: Error, CustomStringConvertible {
    let description = "no van"
  }

  @Test("An open run has its record, its age, its recovery, its key, its action, and its steps with their kinds")
  func open() async throws {
    let store = try await openStore()
    #expect(await store.send(.note("first")).outcome.kind == .finished)
    let receipt = store.send(.charge(order: 2), key: "order 2")
    try await gate.waitForArrivals(1)
    #expect(
      try await list(minutesLater: 150) == """
               3  2026-11-25T16:44:38.120Z     2h  again 3        0  orders
          action  {"charge":{"order":2}}
          key     order 2
          step    ask
          step    ship, failed: no van

        """)
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await list() == "", "a run that has ended is not open")
    await store.shutdown()
  }

  @Test("A run whose take-up has the earliest time there is has its age since 1970")
  func earliestTime() async throws {
    await journal.add("1", "2", "3", to: "foreign")
    let text = """
      {"epoch":{"host":"h","process":1,"time":0},"keys":[],"state":[],"runs":[{"sequence":2,"takeUp":
      {"action":{"charge":{"order":7}},"handlesAgain":true,"isSendersKey":true,"key":"job","limit":5,"time":\(Int64.min)}}]}
      """
    try await journal.store(
      JournalSnapshot(sequence: 3, revision: 1, payload: Array(text.utf8), schemaVersion: 2), of: "foreign")
    try await journal.truncate("foreign", through: 3)
    #expect(
      try await list("foreign").hasPrefix("       2  1970-01-01T00:00:00.000Z  20782d  again 5        0  foreign\n"))
  }

  @Test("Of many keys a line shows how many are read, and makes room for each text")
  func progress() async throws {
    for number in 1...250 as ClosedRange<UInt64> {
      let entry = JournalEntry(kind: .mark, payload: [])
      let batch = JournalBatch(id: .init(writer: 1, number: number), entries: [entry])
      #expect(await journal.append([batch], to: JournalKey("key \(number + 100)"), after: .start).failure == nil)
    }
    let store = try await openStore("z")
    store.send(.charge(order: 0), key: "last")
    try await gate.waitForArrivals(1)
    let screen = Recorder<String>()
    var runs = runs()
    runs.line = StatusLine(columns: { 200 }) { screen.record($0) }
    try await runs.keys(of: nil, prefix: "") { screen.record($0) }
    let clear = "\r\u{1B}[K"
    #expect(
      screen.recorded == [
        "\(clear)100 keys are read, the last one is 'key 200'", "\(clear)200 keys are read, the last one is 'key 300'",
        clear,
        "       1  z\n", clear,
      ])
    gate.open()
    await store.shutdown()
  }

  @Test("A run that is handled again has its deaths, until it makes progress; a run that is abandoned says so")
  func deaths() async throws {
    let first = try await openStore()
    first.send(.charge(order: 0), key: "a")
    try await gate.waitForArrivals(1)
    let second = try await openStore()
    try await gate.waitForArrivals(2)
    #expect(try await list().hasPrefix("       2  2026-11-25T16:44:38.120Z     0s  again 3        1  orders\n"))
    let other = try await openStore("others", plan: .concurrent)
    other.send(.charge(order: 0), key: "b")
    try await gate.waitForArrivals(3)
    #expect(try await list("others").hasPrefix("       2  2026-11-25T16:44:38.120Z     0s  abandon        0  others\n"))
    gate.open()
    for store in [first, second, other] { await store.shutdown() }
  }

  @Test("Runs that a snapshot has are open, in the format of each version of the library")
  func snapshots() async throws {
    let head = #"{"action":{"charge":{"order":7}},"handlesAgain":true,"isSendersKey":true,"key":"job","limit":5}"#
    let payload = #"{"head":\#(head),"mutations":[]}"#.replacing("\"", with: "\\\"")
    let takeUps = [#""payload":{"text":"\#(payload)"},"version":2"#, #""takeUp":\#(head)"#]
    for (number, takeUp) in takeUps.enumerated() {
      let key = JournalKey("\(number)")
      await journal.add("1", "2", "3", to: key)
      let text = """
        {"epoch":{"host":"h","process":1,"time":0},"keys":[],"state":["before"],"runs":[
        {"resumed":2,"sequence":2,"steps":[{"kind":"sleep","name":"grace","due":1000}],\(takeUp)}]}
        """
      try await journal.store(
        JournalSnapshot(sequence: 3, revision: 1, payload: Array(text.utf8), schemaVersion: 2), of: key)
      try await journal.truncate(key, through: 3)
      let lines = try await list(key)
      #expect(lines.hasPrefix("       2  -                             -  again 5        2  \(number)\n"))
      #expect(lines.hasSuffix("  key     job\n  sleep   grace, until 1970-01-01T00:00:01.000Z\n"))
    }
    #expect(try await list("0").contains(#"  action  {"charge":{"order":7}}"#))
  }

  @Test("Without a key the runs of all keys are listed, and keys are listed by the number of their open runs")
  func all() async throws {
    let stores = [try await openStore("b"), try await openStore("a"), try await openStore("idle")]
    for store in stores.dropLast() { store.send(.charge(order: 0)) }
    stores[0].send(.charge(order: 0))
    try await gate.waitForArrivals(3)
    var (lines, keys): ([String], [String]) = ([], [])
    try await runs().all(of: nil) { lines.append($0) }
    #expect(lines.removeFirst() == JournalRuns<UntypedJournal>.headings + "\n")
    #expect(lines.map { $0.prefix { $0 != "\n" }.suffix(3) } == ["  a", "  b", "  b"])
    try await runs().keys(of: nil, prefix: "") { keys.append($0) }
    #expect(keys == ["       1  a\n", "       2  b\n"])
    gate.open()
    for store in stores { await store.shutdown() }
  }

  @Test("A log of another coder is a sentence that says who can read it, and does not stop the other keys")
  func otherCoder() async throws {
    let bytes = JournalBatch(1, [JournalEntry(kind: .takeUp, payload: [0xFF, 0])])
    #expect(await journal.append([bytes], to: "bytes", after: .start).stored == 1)
    let store = try await openStore("orders")
    store.send(.charge(order: 0))
    try await gate.waitForArrivals(1)
    var keys: [String] = []
    let failure = await #expect(throws: CommandFailure.self) {
      try await runs().keys(of: nil, prefix: "") { keys.append($0) }
    }
    #expect(
      failure
        == CommandFailure(
          """
          The log of 'bytes' in 'shop.journal' is no JSON at 1, so it is of another coder than the default one, which only its service \
          has; give the service a journal command of its own, with that coder in its options.
          """, code: 65))
    #expect(keys == ["       1  orders\n"])
    gate.open()
    await store.shutdown()
  }

  @Test("A log that is JSON and cannot be read keeps its reason")
  func unreadable() async throws {
    let record = JournalBatch(1, [JournalEntry(.takeUp, #"{"mutations":[]}"#)])
    #expect(await journal.append([record], to: "orders", after: .start).stored == 1)
    let error = await #expect(throws: JournalError.self) { try await list() }
    #expect(error?.description.hasPrefix("Record 1 of \"orders\" is whole and cannot be read: ") == true)
  }
}
