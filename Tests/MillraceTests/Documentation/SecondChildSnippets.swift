import Foundation
import Millrace
import Testing

private typealias Queue = CompositionSnippets.Room
private typealias Room = CompositionSnippets.Room

/// A parent with one child.
private enum OneChild {
  // snippet.QueueScope
  enum QueueScope: Scope {
    typealias Parent = Player
    typealias Child = Queue

    static func state(of parent: Player.State) -> Queue.State { parent.queue }
    static func mutation(_ mutation: Queue.Mutation) -> Player.Mutation { .queue(mutation) }
  }
  // snippet.end

  struct Player: Interactor {
    struct State: Sendable, Equatable {
      var queue = Queue.State()
    }

    enum Action: Sendable {
      case queue(Queue.Action)
    }

    enum Mutation: Sendable {
      case queue(Queue.Mutation)
    }

    let queue = Scoped<QueueScope>(Queue())

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .queue(let action): queue.decide(action, state: state)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      switch action {
      case .queue(let action): await queue.handle(action, state: state)
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .queue(let action): queue.plan(for: action, state: state)
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      switch action {
      case .queue(let action): queue.closing(action, outcome: outcome)
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .queue(let mutation): Queue.reduce(into: &state.queue, mutation: mutation)
      }
    }
  }
}

/// The same parent with a second child: the diff of docs/composition.md.
private enum TwoChildren {
  enum QueueScope: Scope {
    typealias Parent = Player
    typealias Child = Queue

    static func state(of parent: Player.State) -> Queue.State { parent.queue }
    static func mutation(_ mutation: Queue.Mutation) -> Player.Mutation { .queue(mutation) }
  }

  enum RoomScope: EachScope {
    typealias Parent = Player
    typealias Child = Room

    static func state(of id: Int, in parent: Player.State) -> Room.State? { parent.rooms[id] }
    static func mutation(_ mutation: Room.Mutation, of id: Int) -> Player.Mutation { .room(id, mutation) }
    static func update(_ id: Int, in parent: inout Player.State, _ body: (inout Room.State) -> Void) {
      if parent.rooms[id] != nil { body(&parent.rooms[id]!) }
    }
  }

  struct Player: Interactor {
    struct State: Sendable, Equatable {
      var queue = Queue.State()
      var rooms: [Int: Room.State] = [:]
    }

    enum Action: Sendable {
      case queue(Queue.Action)
      case room(Int, Room.Action)
    }

    enum Mutation: Sendable {
      case queue(Queue.Mutation)
      case room(Int, Room.Mutation)
    }

    let queue = Scoped<QueueScope>(Queue())
    let rooms = Scoped<RoomScope>(Room())

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .queue(let action): queue.decide(action, state: state)
      case .room(let id, let action): rooms.decide(action, of: id, state: state)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      switch action {
      case .queue(let action): await queue.handle(action, state: state)
      case .room(let id, let action): await rooms.handle(action, of: id, state: state)
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .queue(let action): queue.plan(for: action, state: state)
      case .room(let id, let action): rooms.plan(for: action, of: id, state: state)
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      switch action {
      case .queue(let action): queue.closing(action, outcome: outcome)
      case .room(let id, let action): rooms.closing(action, of: id, outcome: outcome)
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .queue(let mutation): Queue.reduce(into: &state.queue, mutation: mutation)
      case .room(let id, let mutation): RoomScope.reduce(into: &state, id: id, mutation: mutation)
      }
    }
  }
}

@Suite("A second child", .timeLimit(.minutes(1)))
struct SecondChildTests {
  /// The lines of the body of an enum of this file, without the marks of its snippets.
  private func body(of name: String) throws -> [String] {
    let file = try RepositoryFile.text("Tests/MillraceTests/Documentation/SecondChildSnippets.swift")
    let lines = file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      .filter { !$0.contains("// snippet.") }
    let first = try #require(lines.firstIndex(of: "private enum \(name) {"))
    let last = try #require(lines[first...].firstIndex(of: "}"))
    return Array(lines[(first + 1)..<last])
  }

  @Test("The whole diff that adds a second child has 20 lines, and is that of docs/composition.md")
  func diff() throws {
    let (one, two) = (try body(of: "OneChild"), try body(of: "TwoChildren"))
    let difference = two.difference(from: one)
    #expect(difference.removals.isEmpty)
    #expect(difference.insertions.count == 20)
    let inserted = difference.insertions.map { change in
      guard case .insert(_, let line, _) = change else { return "" }
      return line
    }
    let blocks = try RepositoryFile.text("docs/composition.md").split(separator: "```diff\n")
    let block = try #require(blocks.last?.split(separator: "```").first)
    let lines = block.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }.sorted() == inserted.sorted())
    let shown = lines.map { $0.dropFirst().trimmingCharacters(in: .whitespaces) }
    #expect(two.map { $0.trimmingCharacters(in: .whitespaces) }.difference(from: shown).removals.isEmpty)
  }

  @Test("The second child has its own state, plans and rejections")
  func second() async {
    let first = Store(initial: OneChild.Player.State(), interactor: OneChild.Player())
    #expect(await first.send(.queue(.say("a"))).outcome.kind == .finished)
    let store = Store(initial: TwoChildren.Player.State(rooms: [7: Room.State()]), interactor: TwoChildren.Player())
    store.send(.queue(.say("a")))
    store.send(.room(7, .say("b")))
    #expect(await store.send(.room(8, .say("c"))).rejectionKind == .missingChild)
    #expect(await store.state == .init(queue: .init(words: ["a"]), rooms: [7: .init(words: ["b"])]))
    #expect(await first.state.queue == store.state.queue)
  }
}
