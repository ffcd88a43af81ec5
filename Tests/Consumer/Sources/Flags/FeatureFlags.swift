import Millrace

/// Loads the switches of an application; its handler is an ordinary `AsyncStream`, in the Swift 5 language mode.
public struct FeatureFlags: Interactor {
  /// The switches as far as they are known.
  public struct State: Sendable, Equatable {
    /// Whether they are being fetched.
    public var isLoading = false
    /// The names of the switches that are on.
    public var enabled: Set<String> = []
    /// The reason why the last fetch failed; nil if it succeeded.
    public var failure: String?

    /// Creates a state in which none is on.
    public init() {}
  }

  /// A request to the switches.
  public enum Action: Sendable {
    /// Fetch all switches.
    case reload
  }

  /// A fact about the switches.
  public enum Mutation: Sendable {
    /// A fetch began.
    case loading
    /// A fetch brought these.
    case loaded(Set<String>)
    /// A fetch failed.
    case failed(String)
  }

  private let fetch: @Sendable () async throws -> Set<String>

  /// Creates an interactor that fetches the switches that are on by `fetch`.
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
