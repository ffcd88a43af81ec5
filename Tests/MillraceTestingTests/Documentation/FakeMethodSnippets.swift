import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/testing-with-fake-gateways.md about methods of other forms, as they stand there.
@Suite("FakeMethodSnippets", .timeLimit(.minutes(1)))
struct FakeMethodSnippets {
  struct Record: Sendable, Equatable {
    var name: String
  }

  struct Offline: Error {}

  final class Connection: Sendable {
    let number: Int

    init(number: Int) { self.number = number }
  }

  // snippet.StorageGateway
  protocol StorageGateway: Sendable {
    func load<Value: Sendable>(_ type: Value.Type, named name: String) async throws -> Value
    func withConnection<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result
    func forEachRecord(_ body: (Record) -> Void) async throws
  }
  // snippet.end

  // snippet.FakeStorage
  struct FakeStorage: StorageGateway, FakeGateway {
    let loads = FakeCall<(name: String, type: ObjectIdentifier), any Sendable>("load")
    let connections = FakeCall<Void, Connection>("withConnection")
    let lists = FakeCall<Void, [Record]>("forEachRecord")

    func load<Value: Sendable>(_ type: Value.Type, named name: String) async throws -> Value {
      try #require(try await loads((name, ObjectIdentifier(type))) as? Value)
    }

    func withConnection<Result: Sendable>(_ body: (Connection) async throws -> Result) async throws -> Result {
      try await body(try await connections())
    }

    func forEachRecord(_ body: (Record) -> Void) async throws {
      for record in try await lists() { body(record) }
    }
  }
  // snippet.end

  @Test("A generic method is scripted by the type of its result")
  func generic() async throws {
    // snippet.generic
    let storage = FakeStorage()
    storage.loads.when(\.type, is: ObjectIdentifier(Record.self)).reply(Record(name: "apple"))
    storage.loads.when(\.name, is: "limit").always(3)
    #expect(try await storage.load(Record.self, named: "first").name == "apple")
    #expect(try await storage.load(Int.self, named: "limit") == 3)
    // snippet.end
    await storage.finish()
  }

  @Test("A closure that does not escape is called by the method with the reply")
  func nonEscaping() async throws {
    let storage = FakeStorage()
    // snippet.non-escaping
    storage.connections.reply(Connection(number: 7))
    storage.lists.reply([Record(name: "apple"), Record(name: "melon")])
    let number = try await storage.withConnection { $0.number }
    var names: [String] = []
    try await storage.forEachRecord { names.append($0.name) }
    // snippet.end
    #expect(number == 7)
    #expect(names == ["apple", "melon"])
    await storage.finish()
  }

  @Test("Tuples are matched by their parts, as a whole, or by their arguments")
  func tuples() async throws {
    let removals = FakeCall<(name: String, index: Int), Void>("remove")
    let moves = FakeCall<(String, Int), Void>("move")
    // snippet.tuples
    removals.when(\.name, is: "m").reply()
    removals.when(\.name, is: "a").when(\.index, is: 2).fail(Offline())
    removals.when { $0 == ("b", 1) }.reply()
    moves.when("m", 2).reply()  // FakeCall<(String, Int), Void>: a tuple without labels
    // snippet.end
    await #expect(throws: Offline.self) { try await removals(("a", 2)) }
    try await removals(("m", 5))
    try await removals(("b", 1))
    try await moves(("m", 2))
    await removals.finish()
    await moves.finish()
  }
}
