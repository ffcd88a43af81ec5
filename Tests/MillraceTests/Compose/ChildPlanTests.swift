import MillraceTesting
import Testing

@testable import Millrace

/// Plans of children that see their part of the state.
@Suite("Plans of children", .timeLimit(.minutes(1)))
struct ChildPlanTests {
  /// A parent with children of every kind, all of which plan by their state.
  private struct House: Interactor {
    struct State: Sendable {
      var hall: [String] = []
      var attic: [String] = []
      var cellar: [String]?
      var rooms: [Int: [String]] = [:]
    }

    enum Action: Sendable {
      case hall(StatePlanner.Action)
      case attic(StatePlanner.Action)
      case cellar(StatePlanner.Action)
      case room(Int, StatePlanner.Action)
    }

    enum Mutation: Sendable {
      case hall(String)
      case attic(String)
      case cellar(String)
      case room(Int, String)
    }

    let child = StatePlanner()
    let hall: Scoped<HallScope>
    let attic: KeyPathScoped<House, StatePlanner>
    let cellar: Scoped<CellarScope>
    let rooms: Scoped<RoomScope>

    init() {
      hall = Scoped(child)
      attic = KeyPathScoped(child, state: \.attic) { .attic($0) }
      cellar = Scoped(child)
      rooms = Scoped(child)
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .hall(let action): hall.plan(for: action, state: state)
      case .attic(let action): attic.plan(for: action, state: state)
      case .cellar(let action): cellar.plan(for: action, state: state)
      case .room(let id, let action): rooms.plan(for: action, of: id, state: state)
      }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .hall(let action): hall.decide(action, state: state)
      case .attic(let action): attic.decide(action, state: state)
      case .cellar(let action): cellar.decide(action, state: state)
      case .room(let id, let action): rooms.decide(action, of: id, state: state)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<House> { .none }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .hall(let word): state.hall.append(word)
      case .attic(let word): state.attic.append(word)
      case .cellar(let word): CellarScope.reduce(into: &state, mutation: word)
      case .room(let id, let word): RoomScope.reduce(into: &state, id: id, mutation: word)
      }
    }
  }

  private enum HallScope: Scope {
    typealias Parent = House
    typealias Child = StatePlanner

    static func state(of parent: House.State) -> [String] { parent.hall }
    static func mutation(_ mutation: String) -> House.Mutation { .hall(mutation) }
  }

  private enum CellarScope: OptionalScope {
    typealias Parent = House
    typealias Child = StatePlanner

    static func state(of parent: House.State) -> [String]? { parent.cellar }
    static func mutation(_ mutation: String) -> House.Mutation { .cellar(mutation) }
    static func update(_ parent: inout House.State, _ body: (inout [String]) -> Void) {
      if parent.cellar != nil { body(&parent.cellar!) }
    }
  }

  private enum RoomScope: EachScope {
    typealias Parent = House
    typealias Child = StatePlanner

    static func state(of id: Int, in parent: House.State) -> [String]? { parent.rooms[id] }
    static func mutation(_ mutation: String, of id: Int) -> House.Mutation { .room(id, mutation) }
    static func update(_ id: Int, in parent: inout House.State, _ body: (inout [String]) -> Void) {
      if parent.rooms[id] != nil { body(&parent.rooms[id]!) }
    }
  }

  private typealias Wrap = @Sendable (StatePlanner.Action) -> House.Action

  private static let wraps: [Wrap] = [{ .hall($0) }, { .attic($0) }, { .cellar($0) }, { .room(1, $0) }]

  @Test("L2: the plan of a child sees the child's part of the state that it is decided on", arguments: wraps.indices)
  func part(index: Int) async {
    let house = House()
    let state = House.State(hall: ["hall"], attic: ["attic"], cellar: ["cellar"], rooms: [1: ["room"]])
    let store = Store(initial: state, interactor: house)
    for _ in 0..<2 {
      store.send(Self.wraps[index](StatePlanner.Action(name: "a") { $0.count == 1 ? .serial(key: "k") : .concurrent }))
    }
    let place = [["hall"], ["attic"], ["cellar"], ["room"]][index]
    #expect(await store.state.hall.count == (index == 0 ? 3 : 1))
    #expect(house.child.planned.all == [place, place + ["a"]])
    #expect(house.child.decided.all == house.child.planned.all)
  }

  @Test("The plan of a child on its state has the keys that its forwarder names")
  func keys() throws {
    let house = House()
    let state = House.State(cellar: [], rooms: [1: [], 2: []])
    let action = StatePlanner.Action(name: "a") { _ in .serial(key: "k") }
    let keys: [(House.Action, any Hashable & Sendable)] = [
      (.hall(action), house.hall.key("k")), (.attic(action), house.attic.key("k")),
      (.cellar(action), house.cellar.key("k")), (.room(1, action), house.rooms.key("k", of: 1)),
      (.room(2, action), house.rooms.key("k", of: 2)),
    ]
    for (action, key) in keys {
      #expect(house.plan(for: action, state: state).terms?.key == PlanKey(key))
    }
  }

  @Test("The plan for a missing child is concurrent and asks no child, and decide rejects the action")
  func missingChild() async {
    let house = House()
    let store = Store(initial: House.State(), interactor: house)
    let action = StatePlanner.Action(name: "a") { _ in .serial(key: "k") }
    for action in [House.Action.cellar(action), .room(1, action)] {
      #expect(house.plan(for: action, state: House.State()).isConcurrent)
      #expect(await store.send(action).outcome.kind == .rejected)
    }
    #expect(house.child.planned.all.isEmpty)
    #expect(await store.keyCount == 0)
  }

  @Test("The plan of a combined interactor is the first one on the state that is not concurrent")
  func combined() async {
    let (first, second) = (StatePlanner(), StatePlanner())
    let both = Combined(first, second)
    let action = StatePlanner.Action(name: "a") { $0.isEmpty ? .serial(key: "k") : .concurrent }
    #expect(both.plan(for: action, state: []).terms?.key == PlanKey("k"))
    #expect(second.planned.all.isEmpty)
    #expect(both.plan(for: action, state: ["a"]).isConcurrent)
    #expect(second.planned.all == [["a"]])
  }
}
