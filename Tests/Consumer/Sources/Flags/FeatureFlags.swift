import Millrace

/// Loads the switches of an application; its handler is an ordinary `AsyncStream`, in the Swift 5 language mode.
public struct FeatureFlags: Interactor {
  /// What is known about the switches.
  public struct State: Sendable, Equatable {
    /// Whether they are being fetched.
    public var isLoading = false
    /// Those that are on.
    public var enabled: Set<String> = []
    /// Why the last fetch failed, if it did.
    public var failure: String?

    /// Makes a state in which none is on.
    public init() {}
  }

  /// What can be asked for.
  public enum Action: Sendable {
    /// Fetch all switches.
    case reload
  }

  /// What happens to the state.
  public enum Mutation: Sendable {
    /// A fetch began.
    case loading
    /// A fetch brought these.
    case loaded(Set<String>)
    /// A fetch failed.
    case failed(String)
  }

  private let fetch: @Sendable () async throws -> Set<String>

  /// Makes an interactor that fetches the switches that are on by `fetch`.
  public init(fetch: @escaping @Sendable () async throws -> Set<String>) {
    self.fetch = fetch
  }

  /// Fetches the switches.
  public func handle(_ action: Action, state: State) async -> AsyncStream<Mutation> {
    AsyncStream { continuation in
      let task = Task {
        continuation.yield(.loading)
        do {
          continuation.yield(.loaded(try await fetch()))
        } catch {
          continuation.yield(.failed("\(error)"))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Applies what happened.
  public static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .loading:
      state.isLoading = true
    case .loaded(let enabled):
      state = State()
      state.enabled = enabled
    case .failed(let failure):
      state.isLoading = false
      state.failure = failure
    }
  }
}
