@testable import Millrace

/// Children that may be removed, in a parent that counts how often the store looks at each of them.
struct Hotel: Interactor {
  struct State: Sendable {
    var rooms: [Int: ScriptedInteractor.State] = [:]
    var bar: ScriptedInteractor.State?
    let looks: Looks
    let name: String

    init(_ looks: Looks, name: String = "", rooms: ClosedRange<Int> = 1...3) {
      self.looks = looks
      self.name = name
      for room in rooms { self.rooms[room] = ScriptedInteractor.State() }
      bar = ScriptedInteractor.State()
    }
  }

  enum Mutation: Sendable {
    case room(Int, ScriptedInteractor.Mutation)
    case bar(ScriptedInteractor.Mutation)
    /// The rooms' scope says that it may remove one.
    case change(@Sendable (inout State) -> Void)
    /// The rooms' scope says that it may remove these.
    case checkOut([Int], @Sendable (inout State) -> Void)
    /// The rooms' scope says that it removes none.
    case paint(@Sendable (inout State) -> Void)
  }

  enum Action: Sendable {
    case room(Int, ScriptedInteractor.Action)
    case bar(ScriptedInteractor.Action)
    case commit(Mutation)
    /// A decision of a room whose mutations the hotel maps.
    case mapped(Int, ScriptedInteractor.Action)
    case handle(@Sendable (Hotel, State) async -> Effect<Hotel>)
  }

  let rooms = Scoped<RoomScope>(ScriptedInteractor())
  let bar = Scoped<BarScope>(ScriptedInteractor())

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .room(let id, let action): rooms.decide(action, of: id, state: state)
    case .bar(let action): bar.decide(action, state: state)
    case .commit(let mutation): .mutate(mutation)
    case .mapped(let id, let action): rooms.decide(action, of: id, state: state).mapMutations { $0 }
    case .handle: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Hotel> {
    switch action {
    case .room(let id, let action): await rooms.handle(action, of: id, state: state)
    case .bar(let action): await bar.handle(action, state: state)
    case .commit, .mapped: .none
    case .handle(let make): await make(self, state)
    }
  }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .room(let id, let action): rooms.plan(for: action, of: id, state: state)
    case .bar(let action): bar.plan(for: action, state: state)
    case .commit, .mapped, .handle: .concurrent
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    switch action {
    case .room(let id, let action): rooms.closing(action, of: id, outcome: outcome)
    case .bar(let action): bar.closing(action, outcome: outcome)
    case .commit, .mapped, .handle: nil
    }
  }

  /// A room's mutation "out 2" removes room 2.
  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .room(let id, let mutation):
      RoomScope.reduce(into: &state, id: id, mutation: mutation)
      if mutation.name.hasPrefix("out "), let id = Int(mutation.name.dropFirst(4)) { state.rooms[id] = nil }
    case .bar(let mutation): BarScope.reduce(into: &state, mutation: mutation)
    case .change(let change), .checkOut(_, let change), .paint(let change): change(&state)
    }
  }
}

enum RoomScope: EachScope {
  typealias Parent = Hotel
  typealias Child = ScriptedInteractor

  static func state(of id: Int, in parent: Hotel.State) -> ScriptedInteractor.State? {
    parent.looks.note("\(parent.name)\(id)")
    return parent.rooms[id]
  }
  static func mutation(_ mutation: ScriptedInteractor.Mutation, of id: Int) -> Hotel.Mutation { .room(id, mutation) }
  static func update(_ id: Int, in parent: inout Hotel.State, _ body: (inout ScriptedInteractor.State) -> Void) {
    if parent.rooms[id] != nil { body(&parent.rooms[id]!) }
  }
  static func mayRemoveChildren(_ mutation: Hotel.Mutation) -> [Int]? {
    switch mutation {
    case .room, .bar, .change: nil
    case .checkOut(let ids, _): ids
    case .paint: []
    }
  }
}

enum BarScope: OptionalScope {
  typealias Parent = Hotel
  typealias Child = ScriptedInteractor

  static func state(of parent: Hotel.State) -> ScriptedInteractor.State? {
    parent.looks.note("\(parent.name)bar")
    return parent.bar
  }
  static func mutation(_ mutation: ScriptedInteractor.Mutation) -> Hotel.Mutation { .bar(mutation) }
  static func update(_ parent: inout Hotel.State, _ body: (inout ScriptedInteractor.State) -> Void) {
    if parent.bar != nil { body(&parent.bar!) }
  }
}

/// Two hotels that are always there, and hotels by their names.
struct HotelChain: Interactor {
  struct State: Sendable {
    var left: Hotel.State
    var right: Hotel.State
    var hotels: [String: Hotel.State] = [:]
    let looks = Looks()

    init() {
      left = Hotel.State(looks, name: "left ")
      right = Hotel.State(looks, name: "right ")
      for name in ["A", "B"] { hotels[name] = Hotel.State(looks, name: "\(name) ") }
    }
  }

  enum Action: Sendable {
    case left(Hotel.Action)
    case right(Hotel.Action)
    case hotel(String, Hotel.Action)
    case change(@Sendable (inout State) -> Void)
    /// An effect of a hotel that stands for `left`, or for `right`, by the functions of a client.
    case mapped(isLeft: Bool, Hotel.Action)
  }

  enum Mutation: Sendable {
    case left(Hotel.Mutation)
    case right(Hotel.Mutation)
    case hotel(String, Hotel.Mutation)
    case change(@Sendable (inout State) -> Void)
  }

  enum LeftScope: Scope {
    typealias Parent = HotelChain
    typealias Child = Hotel

    static func state(of parent: HotelChain.State) -> Hotel.State { parent.left }
    static func mutation(_ mutation: Hotel.Mutation) -> HotelChain.Mutation { .left(mutation) }
  }

  enum HotelScope: EachScope {
    typealias Parent = HotelChain
    typealias Child = Hotel

    static func state(of id: String, in parent: HotelChain.State) -> Hotel.State? {
      parent.looks.note(id)
      return parent.hotels[id]
    }
    static func mutation(_ mutation: Hotel.Mutation, of id: String) -> HotelChain.Mutation { .hotel(id, mutation) }
    static func update(_ id: String, in parent: inout HotelChain.State, _ body: (inout Hotel.State) -> Void) {
      if parent.hotels[id] != nil { body(&parent.hotels[id]!) }
    }
  }

  let left = Scoped<LeftScope>(Hotel())
  let right = KeyPathScoped<HotelChain, Hotel>(Hotel(), state: \.right) { .right($0) }
  let hotels = Scoped<HotelScope>(Hotel())

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .left(let action): left.decide(action, state: state)
    case .right(let action): right.decide(action, state: state)
    case .hotel(let name, let action): hotels.decide(action, of: name, state: state)
    case .change(let change): .mutate(.change(change))
    case .mapped: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<HotelChain> {
    switch action {
    case .left(let action): await left.handle(action, state: state)
    case .right(let action): await right.handle(action, state: state)
    case .hotel(let name, let action): await hotels.handle(action, of: name, state: state)
    case .change: .none
    case .mapped(true, let action):
      await Hotel().handle(action, state: state.left).mapMutations(state: { $0.left }, { .left($0) })
    case .mapped(false, let action):
      await Hotel().handle(action, state: state.right).mapMutations(state: { $0.right }, { .right($0) })
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .left(let mutation): Hotel.reduce(into: &state.left, mutation: mutation)
    case .right(let mutation): Hotel.reduce(into: &state.right, mutation: mutation)
    case .hotel(let name, let mutation): HotelScope.reduce(into: &state, id: name, mutation: mutation)
    case .change(let change): change(&state)
    }
  }
}

/// Counts the checks of each child, by its name.
final class Looks: Sendable {
  private let counts = Lock<[String: Int]>([:])

  func note(_ child: String) {
    counts.withLock { $0[child, default: 0] += 1 }
  }

  /// The counts since the last call.
  func take() -> [String: Int] {
    counts.withLock { counts in
      defer { counts = [:] }
      return counts
    }
  }
}
