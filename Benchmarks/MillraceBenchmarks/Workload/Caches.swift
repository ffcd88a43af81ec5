import Millrace

/// Caches by number, each a child with entries of its own.
struct Caches: Interactor {
  struct State: Sendable {
    fileprivate(set) var caches: [Int: Cache.State]

    /// A state with caches for the numbers from 0, each with the entries of the keys from 0.
    init(_ count: Int, entries: Int) {
      caches = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, Cache.State(entries: entries)) })
    }
  }

  struct Action: Sendable {
    let cache: Int
    let key: Int
  }

  struct Mutation: Sendable {
    let cache: Int
    let mutation: Cache.Mutation
  }

  private let caches = Scoped<CacheScope>(Cache())

  func plan(for action: Action, state: State) -> Plan {
    caches.plan(for: action.key, of: action.cache, state: state)
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    caches.decide(action.key, of: action.cache, state: state)
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    await caches.handle(action.key, of: action.cache, state: state)
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    CacheScope.reduce(into: &state, id: mutation.cache, mutation: mutation.mutation)
  }
}

enum CacheScope: EachScope {
  typealias Parent = Caches
  typealias Child = Cache

  static func state(of id: Int, in parent: Caches.State) -> Cache.State? { parent.caches[id] }
  static func mutation(_ mutation: Cache.Mutation, of id: Int) -> Caches.Mutation {
    Caches.Mutation(cache: id, mutation: mutation)
  }
  static func mayRemoveChildren(_ mutation: Caches.Mutation) -> [Int]? { [] }
  static func update(_ id: Int, in parent: inout Caches.State, _ body: (inout Cache.State) -> Void) {
    guard let index = parent.caches.index(forKey: id) else { return }
    body(&parent.caches.values[index])
  }
}
