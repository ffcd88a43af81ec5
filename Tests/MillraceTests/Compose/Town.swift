@testable import Millrace

/// A parent with children of every kind, all of them scripts; it logs each mutation that is committed, whatever becomes of it.
struct Town: Interactor {
  struct State: Sendable, Equatable {
    var log: [String] = []
    var hall = ScriptedInteractor.State()
    var office = ScriptedInteractor.State()
    var inn: ScriptedInteractor.State?
    var houses: [Int: ScriptedInteractor.State] = [:]
  }

  enum Mutation: Sendable {
    case hall(ScriptedInteractor.Mutation)
    case office(ScriptedInteractor.Mutation)
    case inn(ScriptedInteractor.Mutation)
    case house(Int, ScriptedInteractor.Mutation)
    case change(String, @Sendable (inout State) -> Void)
  }

  enum Action: Sendable {
    case hall(ScriptedInteractor.Action)
    case office(ScriptedInteractor.Action)
    case inn(ScriptedInteractor.Action)
    case house(Int, ScriptedInteractor.Action)
    /// One step.
    case apply([Mutation])
    /// An effect of the parent's own, made of children's.
    case handle(@Sendable (Town, State) async -> Effect<Town>)
  }

  /// The number of actions of its children that may be handled at once; nil sets no limit.
  var limit: Int?

  let hall = Scoped<HallScope>(ScriptedInteractor())
  let office = KeyPathScoped<Town, ScriptedInteractor>(ScriptedInteractor(), state: \.office) {
    .office($0)
  } action: {
    .office($0)
  }
  let inn = Scoped<InnScope>(ScriptedInteractor())
  let houses = Scoped<HouseScope>(ScriptedInteractor())

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .hall(let action): hall.decide(action, state: state)
    case .office(let action): office.decide(action, state: state)
    case .inn(let action): inn.decide(action, state: state)
    case .house(let id, let action): houses.decide(action, of: id, state: state)
    case .apply(let mutations): .mutate(mutations)
    case .handle: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Town> {
    switch action {
    case .hall(let action): await hall.handle(action, state: state)
    case .office(let action): await office.handle(action, state: state)
    case .inn(let action): await inn.handle(action, state: state)
    case .house(let id, let action): await houses.handle(action, of: id, state: state)
    case .apply: .none
    case .handle(let make): await make(self, state)
    }
  }

  func plan(for action: Action, state: State) -> Plan {
    let plan = childPlan(for: action, state: state)
    return limit.map { plan.limited(to: $0, key: "town") } ?? plan
  }

  private func childPlan(for action: Action, state: State) -> Plan {
    switch action {
    case .hall(let action): hall.plan(for: action, state: state)
    case .office(let action): office.plan(for: action, state: state)
    case .inn(let action): inn.plan(for: action, state: state)
    case .house(let id, let action): houses.plan(for: action, of: id, state: state)
    case .apply, .handle: .concurrent
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    switch action {
    case .hall(let action): hall.closing(action, outcome: outcome)
    case .office(let action): office.closing(action, outcome: outcome)
    case .inn(let action): inn.closing(action, outcome: outcome)
    case .house(let id, let action): houses.closing(action, of: id, outcome: outcome)
    case .apply, .handle: nil
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .hall(let mutation):
      state.log.append("hall \(mutation.name)")
      ScriptedInteractor.reduce(into: &state.hall, mutation: mutation)
    case .office(let mutation):
      state.log.append("office \(mutation.name)")
      ScriptedInteractor.reduce(into: &state.office, mutation: mutation)
    case .inn(let mutation):
      state.log.append("inn \(mutation.name)")
      InnScope.reduce(into: &state, mutation: mutation)
    case .house(let id, let mutation):
      state.log.append("\(id) \(mutation.name)")
      HouseScope.reduce(into: &state, id: id, mutation: mutation)
    case .change(let name, let change):
      state.log.append(name)
      change(&state)
    }
  }
}

enum HallScope: Scope {
  typealias Parent = Town
  typealias Child = ScriptedInteractor

  static func state(of parent: Town.State) -> ScriptedInteractor.State { parent.hall }
  static func mutation(_ mutation: ScriptedInteractor.Mutation) -> Town.Mutation { .hall(mutation) }
  static func action(_ action: ScriptedInteractor.Action) -> Town.Action { .hall(action) }
}

enum InnScope: OptionalScope {
  typealias Parent = Town
  typealias Child = ScriptedInteractor

  static func state(of parent: Town.State) -> ScriptedInteractor.State? { parent.inn }
  static func mutation(_ mutation: ScriptedInteractor.Mutation) -> Town.Mutation { .inn(mutation) }
  static func action(_ action: ScriptedInteractor.Action) -> Town.Action { .inn(action) }
  static func update(_ parent: inout Town.State, _ body: (inout ScriptedInteractor.State) -> Void) {
    if parent.inn != nil { body(&parent.inn!) }
  }
}

enum HouseScope: EachScope {
  typealias Parent = Town
  typealias Child = ScriptedInteractor

  static func state(of id: Int, in parent: Town.State) -> ScriptedInteractor.State? { parent.houses[id] }
  static func mutation(_ mutation: ScriptedInteractor.Mutation, of id: Int) -> Town.Mutation { .house(id, mutation) }
  static func action(_ action: ScriptedInteractor.Action, of id: Int) -> Town.Action { .house(id, action) }
  static func update(_ id: Int, in parent: inout Town.State, _ body: (inout ScriptedInteractor.State) -> Void) {
    guard let place = parent.houses.index(forKey: id) else { return }
    body(&parent.houses.values[place])
  }
}

extension Town.Action {
  /// Adds houses in one step.
  static func add(_ ids: Int...) -> Self {
    .apply(ids.map { id in .change("+\(id)") { $0.houses[id] = ScriptedInteractor.State() } })
  }

  /// Removes houses in one step.
  static func remove(_ ids: Int...) -> Self {
    .apply(ids.map { id in .change("-\(id)") { $0.houses[id] = nil } })
  }

  /// Opens the inn, or closes it.
  static func inn(isOpen: Bool) -> Self {
    .apply([.change(isOpen ? "+inn" : "-inn") { $0.inn = isOpen ? ScriptedInteractor.State() : nil }])
  }
}

extension Store where I == Town {
  /// A town with an inn and the houses 1 to 3.
  static func town(_ configuration: StoreConfiguration = StoreConfiguration()) -> Store<Town> {
    var state = Town.State()
    state.inn = ScriptedInteractor.State()
    for id in 1...3 { state.houses[id] = ScriptedInteractor.State() }
    return Store(initial: state, interactor: Town(), configuration: configuration)
  }

  /// The mutations that were committed, in order.
  nonisolated var log: [String] {
    get async { await state.log }
  }
}

extension Store {
  /// The number of runs bound to a child, the number of those whose child is gone, and whether commits check children.
  nonisolated var bound: (runs: Int, removed: Int, isLooking: Bool) {
    get async {
      let (runs, removed) = await onRuns { registry in
        let children = registry?.lifetimeConditions.scopes.map { $0.children.map { $0 } }.joined()
        let runs = children?.flatMap { $0.runs.map { ObjectIdentifier($0.run) } } ?? []
        return (Set(runs).count, registry?.runsOfRemovedChildren.count ?? 0)
      }
      return (runs, removed, onRegistry { $0?.needs.contains(.conditions) ?? false } ?? false)
    }
  }
}

/// Towns by name, so that what holds for children is seen to hold for their children.
struct Country: Interactor {
  struct State: Sendable, Equatable {
    var towns: [String: Town.State] = [:]
    var capital = Town.State()
  }

  enum Action: Sendable {
    case town(String, Town.Action)
    case capital(Town.Action)
    case remove(String)
    case add(String, Town.State)
  }

  enum Mutation: Sendable {
    case town(String, Town.Mutation)
    case capital(Town.Mutation)
    case remove(String)
    case add(String, Town.State)
  }

  let towns = Scoped<TownScope>(Town())
  let capital = Scoped<CapitalScope>(Town())

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .town(let name, let action): towns.decide(action, of: name, state: state)
    case .capital(let action): capital.decide(action, state: state)
    case .remove(let name): .mutate(.remove(name))
    case .add(let name, let town): .mutate(.add(name, town))
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Country> {
    switch action {
    case .town(let name, let action): await towns.handle(action, of: name, state: state)
    case .capital(let action): await capital.handle(action, state: state)
    case .remove, .add: .none
    }
  }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .town(let name, let action): towns.plan(for: action, of: name, state: state)
    case .capital(let action): capital.plan(for: action, state: state)
    case .remove, .add: .concurrent
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .town(let name, let mutation): TownScope.reduce(into: &state, id: name, mutation: mutation)
    case .capital(let mutation): Town.reduce(into: &state.capital, mutation: mutation)
    case .remove(let name): state.towns[name] = nil
    case .add(let name, let town): state.towns[name] = town
    }
  }
}

/// Without an `action(_:of:)`.
enum TownScope: EachScope {
  typealias Parent = Country
  typealias Child = Town

  static func state(of id: String, in parent: Country.State) -> Town.State? { parent.towns[id] }
  static func mutation(_ mutation: Town.Mutation, of id: String) -> Country.Mutation { .town(id, mutation) }
  static func update(_ id: String, in parent: inout Country.State, _ body: (inout Town.State) -> Void) {
    guard let place = parent.towns.index(forKey: id) else { return }
    body(&parent.towns.values[place])
  }
}

enum CapitalScope: Scope {
  typealias Parent = Country
  typealias Child = Town

  static func state(of parent: Country.State) -> Town.State { parent.capital }
  static func mutation(_ mutation: Town.Mutation) -> Country.Mutation { .capital(mutation) }
  static func action(_ action: Town.Action) -> Country.Action { .capital(action) }
}
