import Millrace

/// The bounds of a mirror.
struct Limits: Sendable {
  /// The number of repositories.
  var repositories = 64
  /// The most bytes that an artifact may have.
  var artifact = 1 << 20
  /// The memory that the copies of one repository may take, in bytes.
  var capacity = 64 << 20
  /// The longest that a request takes, its waits and all its attempts included.
  var timeout: Duration = .seconds(10)
  /// The longest that one attempt takes.
  var attemptTimeout: Duration = .seconds(3)
  /// The number of attempts at a request.
  var attempts = 3
  /// The number of artifacts of one repository that are published at the same time.
  var publications = 2
  /// The breaker between a repository and the upstream; an artifact that the upstream refuses says nothing about the others.
  // snippet.breaker
  var breaker = Plan.Breaker(failures: 5, countsIf: { ($0 as? UpstreamFailure)?.isOfUpstream != false })
  // snippet.end
}

/// A mirror: its repositories, which come and go.
struct Mirror: Interactor {
  struct State: Codable, Sendable, Equatable {
    var repositories: [String: Repository.State] = [:]
  }

  enum Action: Codable, Sendable {
    case add(String)
    case remove(String)
    case repository(String, Repository.Action)
  }

  enum Mutation: Codable, Sendable, Equatable {
    case added(String, capacity: Int)
    case removed(String)
    case repository(String, Repository.Mutation)
  }

  enum RepositoryScope: EachScope {
    typealias Parent = Mirror
    typealias Child = Repository

    static func state(of name: String, in mirror: Mirror.State) -> Repository.State? { mirror.repositories[name] }
    static func mutation(_ mutation: Repository.Mutation, of name: String) -> Mirror.Mutation {
      .repository(name, mutation)
    }
    static func update(_ name: String, in mirror: inout Mirror.State, _ body: (inout Repository.State) -> Void) {
      guard let index = mirror.repositories.index(forKey: name) else { return }
      body(&mirror.repositories.values[index])
    }
  }

  struct TooManyRepositories: Error, CustomStringConvertible {
    let limit: Int
    var description: String { "the mirror has \(limit) repositories; REMOVE one first" }
  }

  let limits: Limits
  let repositories: Scoped<RepositoryScope>

  init(upstream: any Upstream, limits: Limits = Limits()) {
    self.limits = limits
    repositories = Scoped(Repository(upstream: upstream, limits: limits))
  }

  func plan(for action: Action, state: State) -> Plan {
    guard case .repository(let name, let action) = action else { return .concurrent }
    return repositories.plan(for: action, of: name, state: state)
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .add(let name):
      if state.repositories[name] != nil { return .ignore }
      guard state.repositories.count < limits.repositories else {
        return .reject(TooManyRepositories(limit: limits.repositories))
      }
      return .mutate(.added(name, capacity: limits.capacity))
    case .remove(let name): return state.repositories[name] == nil ? .ignore : .mutate(.removed(name))
    case .repository(let name, let action): return repositories.decide(action, of: name, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    guard case .repository(let name, let action) = action else { return .none }
    return await repositories.handle(action, of: name, state: state)
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    guard case .repository(let name, let action) = action else { return nil }
    return repositories.closing(action, of: name, outcome: outcome)
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let name, let capacity): state.repositories[name] = Repository.State(name: name, capacity: capacity)
    case .removed(let name): state.repositories[name] = nil
    case .repository(let name, let mutation): RepositoryScope.reduce(into: &state, id: name, mutation: mutation)
    }
  }
}
