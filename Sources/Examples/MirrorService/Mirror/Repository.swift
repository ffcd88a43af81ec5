import Foundation
import Millrace

/// The copies of one repository's artifacts.
struct Repository: Interactor {
  struct State: Codable, Sendable, Equatable {
    let name: String
    /// The memory that the copies may take, in bytes.
    let capacity: Int
    var artifacts = Copies()
    /// The names whose fetch will be stored.
    var fetching: Set<String> = []
    var publishing: Set<String> = []
    var failure: String?

    /// The copy of an artifact that is valid at a time.
    func artifact(_ name: String, at now: Duration) -> Artifact? {
      artifacts[name].flatMap { now < $0.until ? $0 : nil }
    }
  }

  enum Action: Codable, Sendable {
    case get(String, at: Duration)
    case put(String, Data)
  }

  enum Mutation: Codable, Sendable, Equatable {
    case fetching(String)
    case fetched(String, Artifact)
    case fetchFailed(String, reason: String)
    case publishing(String)
    case published(String, Artifact)
    case publishFailed(String, reason: String)
  }

  enum Key: Hashable { case fetch(String), publish(String), publications, upstream }

  let upstream: any Upstream
  let limits: Limits

  // snippet.plan
  func plan(for action: Action, state: State) -> Plan {
    let plan: Plan
    switch action {
    case .get(let name, let now):
      guard state.artifact(name, at: now) == nil else { return .concurrent }
      plan = .shared(key: Key.fetch(name))
    case .put(let name, _):
      plan = .serial(key: Key.publish(name)).limited(to: limits.publications, key: Key.publications)
    }
    return plan.timeout(limits.timeout).attemptTimeout(limits.attemptTimeout)
      .retry(limits.attempts, if: { ($0 as? UpstreamFailure)?.isLasting != true })
      .breaker(limits.breaker, key: Key.upstream)
  }
  // snippet.end

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .get(let name, let now):
      state.artifact(name, at: now) == nil ? .mutate(.fetching(name), thenHandle: true) : .ignore
    case .put(let name, _): .mutate(.publishing(name), thenHandle: true)
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    let repository = state.name
    return Effect { run in
      switch action {
      case .get(let name, _):
        run.emit(.fetched(name, try await upstream.fetch("\(repository)/\(name)")))
      case .put(let name, let bytes):
        let path = "\(repository)/\(name)"
        let artifact = try await upstream.publish(bytes, as: path, idempotencyKey: run.idempotencyKey)
        run.emit(.published(name, artifact))
      }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    let reason = if case .failed(let error) = outcome { "\(error)" } else { "\(outcome)" }
    return switch action {
    case .get(let name, _): .fetchFailed(name, reason: reason)
    case .put(let name, _): .publishFailed(name, reason: reason)
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .fetching(let name): state.fetching.insert(name)
    // snippet.facts
    case .fetched(let name, let artifact):
      // What was fetched while a publication ended may be what the upstream had before.
      if state.fetching.remove(name) != nil { state.artifacts.add(artifact, as: name, capacity: state.capacity) }
    // snippet.end
    case .fetchFailed(let name, let reason):
      state.fetching.remove(name)
      state.failure = "\(name) was not fetched: \(reason)"
    case .publishing(let name): state.publishing.insert(name)
    case .published(let name, let artifact):
      state.publishing.remove(name)
      state.fetching.remove(name)
      state.artifacts.add(artifact, as: name, capacity: state.capacity)
    case .publishFailed(let name, let reason):
      state.publishing.remove(name)
      // The upstream may have taken it all the same.
      state.fetching.remove(name)
      state.artifacts.remove(name)
      state.failure = "\(name) was not published: \(reason)"
    }
  }
}
