import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/composition.md, as they stand there.
enum CompositionSnippets {
  /// The interactor of several children: it adds a word at once, or waits until it is cancelled.
  struct Room: Interactor {
    struct State: Sendable, Equatable {
      var words: [String] = []
    }

    enum Action: Sendable {
      case say(String)
      case load(Gate)
      case repeatTwice(String)
    }

    func decide(_ action: Action, state: State) -> Decision<String> {
      if case .say(let word) = action { .mutate(word) } else { .handle }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      switch action {
      case .say: .none
      case .load(let gate): Effect { _ in try await gate.enter() }
      case .repeatTwice(let word):
        Effect { run in
          for _ in 1...2 { run.send(.say(word)) }
        }
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      if case .load = action { .latest(key: "load") } else { .concurrent }
    }

    static func reduce(into state: inout State, mutation: String) {
      state.words.append(mutation)
    }
  }

  typealias Queue = Room
  typealias Dialog = Room

  enum QueueScope: Scope {
    typealias Parent = Player
    typealias Child = Queue

    static func state(of parent: Player.State) -> Queue.State { parent.queue }
    static func mutation(_ mutation: Queue.Mutation) -> Player.Mutation { .queue(mutation) }
    // snippet.action
    static func action(_ action: Queue.Action) -> Player.Action { .queue(action) }
    // snippet.end
  }

  enum DialogScope: OptionalScope {
    typealias Parent = Player
    typealias Child = Dialog

    static func state(of parent: Player.State) -> Dialog.State? { parent.dialog }
    static func mutation(_ mutation: Dialog.Mutation) -> Player.Mutation { .dialog(mutation) }
    static func update(_ parent: inout Player.State, _ body: (inout Dialog.State) -> Void) {
      if parent.dialog != nil { body(&parent.dialog!) }
    }
  }

  // snippet.RoomScope
  enum RoomScope: EachScope {
    typealias Parent = Player
    typealias Child = Room

    static func state(of id: Int, in parent: Player.State) -> Room.State? { parent.rooms[id] }
    static func mutation(_ mutation: Room.Mutation, of id: Int) -> Player.Mutation { .room(id, mutation) }
    // snippet.hide
    // snippet.child-sends
    static func action(_ action: Room.Action, of id: Int) -> Player.Action { .room(id, action) }
    // snippet.end
    // snippet.show
    static func update(_ id: Int, in parent: inout Player.State, _ body: (inout Room.State) -> Void) {
      guard let place = parent.rooms.index(forKey: id) else { return }
      body(&parent.rooms.values[place])
    }
    // snippet.hide
    // snippet.mayRemoveChildren
    static func mayRemoveChildren(_ mutation: Player.Mutation) -> [Int]? {
      switch mutation {
      case .closed(let id): [id]
      case .queue, .dialog, .room, .opened: []
      }
    }
    // snippet.end
    // snippet.show
  }
  // snippet.end

  // snippet.Player
  struct Player: Interactor {
    struct State: Sendable, Equatable {
      var queue = Queue.State()
      var dialog: Dialog.State?
      var rooms: [Int: Room.State] = [:]
    }

    enum Action: Sendable {
      case queue(Queue.Action)
      case dialog(Dialog.Action)
      case room(Int, Room.Action)
      case open(Int)
      case close(Int)
    }

    enum Mutation: Sendable {
      case queue(Queue.Mutation)
      case dialog(Dialog.Mutation)
      case room(Int, Room.Mutation)
      case opened(Int)
      case closed(Int)
    }
    // snippet.end

    // snippet.decide-room
    // snippet.scope
    let queue = Scoped<QueueScope>(Queue())
    // snippet.end
    let dialog = Scoped<DialogScope>(Dialog())
    let rooms = Scoped<RoomScope>(Room())

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .queue(let action): queue.decide(action, state: state)
      case .dialog(let action): dialog.decide(action, state: state)
      case .room(let id, let action): rooms.decide(action, of: id, state: state)
      case .open(let id): .mutate(.opened(id))
      case .close(let id): .mutate(.closed(id))
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      switch action {
      case .queue(let action): await queue.handle(action, state: state)
      case .dialog(let action): await dialog.handle(action, state: state)
      case .room(let id, let action): await rooms.handle(action, of: id, state: state)
      case .open, .close: .none
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .queue(let action): queue.plan(for: action, state: state)
      case .dialog(let action): dialog.plan(for: action, state: state)
      case .room(let id, let action): rooms.plan(for: action, of: id, state: state)
      case .open, .close: .concurrent
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      switch action {
      case .queue(let action): queue.closing(action, outcome: outcome)
      case .dialog(let action): dialog.closing(action, outcome: outcome)
      case .room(let id, let action): rooms.closing(action, of: id, outcome: outcome)
      case .open, .close: nil
      }
    }
    // snippet.end

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .queue(let mutation): Queue.reduce(into: &state.queue, mutation: mutation)
      case .dialog(let mutation): DialogScope.reduce(into: &state, mutation: mutation)
      // snippet.reduce-room
      case .room(let id, let mutation): RoomScope.reduce(into: &state, id: id, mutation: mutation)
      // snippet.end
      case .opened(let id): state.rooms[id] = Room.State()
      case .closed(let id): state.rooms[id] = nil
      }
    }
  }

  static func byKeyPath() -> KeyPathScoped<Player, Queue> {
    // snippet.scope-queue
    let queue = KeyPathScoped<Player, Queue>(Queue(), state: \.queue) { .queue($0) }
    // snippet.end
    return queue
  }

  static func sendingByKeyPath() -> KeyPathScoped<Player, Queue> {
    // snippet.child-queue
    let queue = KeyPathScoped<Player, Queue>(Queue(), state: \.queue) {
      .queue($0)
    } action: {
      .queue($0)
    }
    // snippet.end
    return queue
  }

  static func cancel(_ store: Store<Player>, _ player: Player) {
    // snippet.keys
    store.cancel(key: player.rooms.key("load", of: 7))
    // snippet.end
  }

  static func ownPlan(_ rooms: Scoped<RoomScope>, for action: Player.Action, state: Player.State) -> Plan {
    switch action {
    // snippet.ownPlan
    case .room(let id, _): rooms.plan(.serial(key: "rooms"), of: id, state: state)
    // snippet.end
    case .queue, .dialog, .open, .close: .concurrent
    }
  }

  /// Counts what others do.
  struct Stock: Interactor {
    func decide(_ action: Int, state: [Int]) -> Decision<Int> { .mutate(action) }
    static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
    typealias Mutations = Effect<Self>
  }

  struct Audit: Interactor {
    func decide(_ action: Int, state: [Int]) -> Decision<Int> { .ignore }
    static func reduce(into state: inout [Int], mutation: Int) { state.append(-mutation) }
    typealias Mutations = Effect<Self>
  }

  typealias Alerts = Audit

  static func combined() -> some Interactor<Int, Int, [Int]> {
    // snippet.combined
    let interactor = Combined(Stock(), Combined(Audit(), Alerts()))
    // snippet.end
    return interactor
  }
}

@Suite("Composition", .timeLimit(.minutes(1)))
struct CompositionSnippetsTests {
  private typealias Player = CompositionSnippets.Player

  @Test("A parent forwards to its children, whose keys are cancelled by name and whose runs end with them")
  func player() async throws {
    let player = Player()
    let store = Store(initial: Player.State(rooms: [7: .init(), 8: .init(), 9: .init()]), interactor: player)
    let gates = [Gate(), Gate(), Gate()]
    let loads = (7...9).map { store.send(.room($0, .load(gates[$0 - 7]))) }
    for gate in gates { try await gate.waitForArrivals() }
    CompositionSnippets.cancel(store, player)
    #expect(await loads[0].outcome.kind == .cancelled)
    store.send(.close(8))
    #expect(await loads[1].outcome.kind == .cancelled)
    gates[2].open()
    #expect(await loads[2].outcome.kind == .finished)
    store.send(.queue(.say("a")))
    store.send(.room(9, .say("b")))
    #expect(await store.state == Player.State(queue: .init(words: ["a"]), rooms: [7: .init(), 9: .init(words: ["b"])]))
    let decision = CompositionSnippets.byKeyPath().decide(.say("c"), state: Player.State())
    #expect(decision.mutations.count == 1)
    #expect(CompositionSnippets.sendingByKeyPath().decide(.say("d"), state: Player.State()).mutations.count == 1)
  }

  @Test("A child's handler sends the child's actions")
  func sending() async {
    let store = Store(initial: Player.State(rooms: [7: .init()]), interactor: Player())
    #expect(await store.send(.queue(.repeatTwice("a"))).outcome.kind == .finished)
    #expect(await store.send(.room(7, .repeatTwice("b"))).outcome.kind == .finished)
    #expect(
      await store.state == Player.State(queue: .init(words: ["a", "a"]), rooms: [7: .init(words: ["b", "b"])]))
  }

  @Test("Several interactors over one state are one")
  func combined() async {
    func state<I: Interactor<Int, Int, [Int]>>(of interactor: I) async -> [Int] {
      let store = Store(initial: [], interactor: interactor)
      store.send(1)
      return await store.state
    }
    #expect(await state(of: CompositionSnippets.combined()) == [1, -1, -1])
  }
}
