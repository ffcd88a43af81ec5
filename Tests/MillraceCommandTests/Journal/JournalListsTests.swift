import Millrace
import MillraceJournal
import Testing

@testable import MillraceCommand

@Suite("Lists of a journal", .timeLimit(.minutes(1)))
struct JournalListsTests {
  private let journal = MemoryJournal()

  private var lists: JournalLists {
    JournalLists(journal: journal, command: "millrace journal", place: "'shop.journal'")
  }

  private func keys(of stores: String? = nil, prefix: String = "") async throws -> [String] {
    var lines: [String] = []
    try await lists.keys(of: stores, prefix: prefix) { lines.append($0.name.shownOnOneLine()) }
    return lines
  }

  private func entries(
    of key: JournalKey, after sequence: JournalSequence? = nil, limit: Int = 100, isFull: Bool = false
  ) async throws -> [String] {
    var lines: [String] = []
    try await lists.entries(of: key, after: sequence, limit: limit, isFull: isFull) { lines.append($0) }
    #expect(lines.removeFirst() == JournalEntryLine.headings + "\n")
    return lines
  }

  @Test("Keys of single stores are listed, and those of many only if these are named")
  func keys() async throws {
    await journal.add("1", to: "b")
    await journal.add("1", to: "a")
    try await journal.addOrders(("c", .keep))
    #expect(try await keys() == ["a", "b"])
    #expect(try await keys(of: "orders") == ["c"])
    #expect(try await keys(of: "carts") == [])
  }

  @Test("A name that would steer a terminal, or take two lines, is listed with escapes")
  func escapes() async throws {
    await journal.add("1", to: "a\u{1B}[31m\nb")
    #expect(try await keys() == ["a\\u{1B}[31m\\nb"])
  }

  @Test(
    "A prefix is compared by its UTF-8",
    arguments: [("a", ["a", "ab", "aé"]), ("aé", ["aé"]), ("", ["a", "ab", "aé", "b"]), ("c", [])])
  func prefix(prefix: String, names: [String]) async throws {
    for name in ["b", "aé", "a", "ab"] { await journal.add("1", to: JournalKey(name)) }
    try await journal.addOrders(("b", .keep), ("aé", .keep), ("a", .keep), ("ab", .keep))
    #expect(try await keys(prefix: prefix) == names)
    #expect(try await keys(of: "orders", prefix: prefix) == names)
  }

  @Test("More keys than one page has are listed once each")
  func pages() async throws {
    let names = (1_000..<3_500).map { "\($0)" }
    for name in names { await journal.add("1", to: JournalKey(name)) }
    #expect(try await keys() == names)
    #expect(try await keys(prefix: "2") == names.filter { $0.hasPrefix("2") })
  }

  @Test("Due keys are listed behind their wake times, the earliest first, and keys that are always open before them")
  func due() async throws {
    try await journal.addOrders(
      ("late", .at(2_000)), ("never", .never), ("early", .at(500)), ("open", .now), ("future", .at(9_000)))
    var lines: [String] = []
    try await lists.dueKeys(of: "orders", prefix: "", before: 5_000) { lines.append($0) }
    #expect(
      lines == [
        "always                    open\n", "1970-01-01T00:00:00.500Z  early\n", "1970-01-01T00:00:02.000Z  late\n",
      ])
    lines = []
    try await lists.dueKeys(of: "orders", prefix: "l", before: 5_000) { lines.append($0) }
    #expect(lines == ["1970-01-01T00:00:02.000Z  late\n"])
  }

  @Test("An entry is listed with its time, its kind, the run that caused it, its revision and its payload")
  func entries() async throws {
    let batch = JournalBatch(
      1,
      [
        JournalEntry(.takeUp, #"{"head":{"action":{"put":{"_0":"Emma"}}},"mutations":[]}"#),
        JournalEntry(.end, #"{"head":{"run":1},"mutations":[1]}"#, revision: 1),
        JournalEntry(kind: .emit, payload: [0xFF, 0xFE]),
      ])
    #expect(await journal.append([batch], to: "a", after: .start).stored == 1)
    #expect(
      try await entries(of: "a").joined() == """
               1  2026-11-25T16:44:38.120Z  takeUp           -         -         -  {"head":{"action":{"put":{"_0":"Emma"}}},"mutations":[]}
               2  2026-11-25T16:44:38.120Z  end              1         1         -  {"head":{"run":1},"mutations":[1]}
               3  2026-11-25T16:44:38.120Z  emit             -         -         -  2 bytes

        """)
    #expect(
      JournalEntryLine.headings
        == "SEQUENCE  TIME                      KIND           RUN  REVISION  POSITION  PAYLOAD")
  }

  @Test("An entry of one of many stores has its position in the partition")
  func position() async throws {
    try await journal.addOrders(("a", .keep), ("b", .keep))
    let lines = try await entries(of: JournalKey("b", of: "orders"))
    #expect(lines.map { $0.contains("decided          -         -         2  {") } == [true])
  }

  @Test("Entries begin behind a sequence, and end at a limit")
  func limits() async throws {
    await journal.add("1", "2", "3", "4", to: "a")
    func sequences(_ lines: [String]) -> [String] { lines.map { String($0.prefix(8).suffix(1)) } }
    #expect(sequences(try await entries(of: "a", after: 1, limit: 2)) == ["2", "3"])
    #expect(sequences(try await entries(of: "a", after: 3)) == ["4"])
    #expect(sequences(try await entries(of: "a", after: 4)) == [])
    #expect(sequences(try await entries(of: "a", limit: 1)) == ["1"])
  }

  @Test("Entries of a log whose first records were removed begin behind these, unless a removed one is asked for")
  func truncated() async throws {
    await journal.add("1", "2", "3", to: "a")
    try await journal.store(JournalSnapshot(sequence: 2, revision: 2, payload: [1]), of: "a")
    try await journal.truncate("a", through: 2)
    #expect(try await entries(of: "a").map { $0.hasPrefix("       3  ") } == [true])
    let error = await #expect(throws: JournalError.self) {
      try await lists.entries(of: "a", after: 1, limit: 9, isFull: false) { _ in }
    }
    #expect(error?.code == .truncated)
  }

  @Test("A long payload is cut unless it is asked for in full")
  func full() async throws {
    let text = "\"" + String(repeating: "x", count: 300) + "\""
    await journal.add(text, to: "a")
    #expect(try await entries(of: "a")[0].hasSuffix("  \(text.prefix(200))…\n"))
    #expect(try await entries(of: "a", isFull: true)[0].hasSuffix("  \(text)\n"))
  }

  @Test("A key that the journal does not have is a sentence with the command that lists those it has")
  func noKey() async throws {
    let single = await #expect(throws: CommandFailure.self) { try await entries(of: "a") }
    #expect(
      single
        == CommandFailure(
          "'shop.journal' has no key 'a'; millrace journal keys lists those it has, and --of STORES names one of many stores.",
          code: 65))
    let one = await #expect(throws: CommandFailure.self) { try await entries(of: JournalKey("a", of: "orders")) }
    #expect(
      one?.sentence
        == "'shop.journal' has no key 'a' of the stores 'orders'; millrace journal keys --of lists those it has.")
  }
}
