import Millrace

/// A cache before an upstream, as a service has it: an entry that is there is the answer, any other key is fetched.
///
/// The upstream's answer is counted and not kept, so that a key that was missing stays missing.
struct Cache: Interactor {
  struct State: Sendable {
    fileprivate(set) var entries: [Int: Int]
    fileprivate(set) var fetched = 0

    /// A state with the entries of the keys from 0.
    init(entries count: Int) {
      entries = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) })
    }
  }

  enum Mutation: Sendable {
    case fetched
  }

  /// The time of the upstream: until this is over, or one yield.
  var upstream: Countdown?

  private let terms = FullTerms()

  init(upstream: Countdown? = nil) {
    self.upstream = upstream
  }

  func plan(for key: Int, state: State) -> Plan {
    if state.entries[key] != nil { return .concurrent }
    return .shared(key: key).timeout(terms.timeout).attemptTimeout(terms.attemptTimeout)
      .retry(terms.attempts, backoff: .constant(terms.backoff))
      .breaker(Plan.Breaker(failures: terms.failures, openFor: terms.openFor))
  }

  func decide(_ key: Int, state: State) -> Decision<Mutation> {
    state.entries[key] == nil ? .handle : .ignore
  }

  func handle(_ key: Int, state: State) async -> Effect<Self> {
    Effect { run in
      if let upstream { await upstream.wait() } else { await Task.yield() }
      run.emit(.fetched)
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    state.fetched += 1
  }
}

/// The same by hand, without deadlines, attempts, breaker, metrics or outcomes: an actor with the fetches in progress.
actor CacheActor {
  private let entries: [Int: Int]
  private var fetches: [Int: Task<Void, Never>] = [:]
  private var fetched = 0

  init(entries count: Int) {
    entries = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) })
  }

  /// Returns the entry of a key; fetches what is missing, once for all that ask meanwhile, and returns the number of fetches.
  func entry(of key: Int) async -> Int {
    if let entry = entries[key] { return entry }
    if let fetch = fetches[key] {
      await fetch.value
      return fetched
    }
    let fetch = Task { await Task.yield() }
    fetches[key] = fetch
    await fetch.value
    fetches[key] = nil
    fetched += 1
    return fetched
  }
}
