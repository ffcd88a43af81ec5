/// One wait for a state that satisfies a predicate; it ends once.
final class Watcher<State: Sendable>: Sendable {
  let predicate: @Sendable (State) -> Bool
  private let promise = Promise<Result<State, any Error>>()

  init(predicate: @escaping @Sendable (State) -> Bool) {
    self.predicate = predicate
  }

  /// Whether it has its result, so that no further state is to be judged.
  var hasEnded: Bool { promise.isFulfilled }

  /// Ends the wait with this result; later calls do nothing.
  func end(_ result: Result<State, any Error>) {
    promise.fulfil(result)
  }

  /// Suspends until the wait has ended.
  func result() async throws -> State {
    try await promise.value.get()
  }
}

/// Why a wait for a state ended without that state.
public struct WaitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case timedOut, shutDown
    }

    fileprivate let kind: Kind

    /// No state satisfied the predicate in time.
    public static let timedOut = Code(kind: .timedOut)

    /// The store was shut down before a state satisfied the predicate.
    public static let shutDown = Code(kind: .shutDown)
  }

  /// The reason.
  public let code: Code

  /// Makes an error of this kind.
  public init(_ code: Code) {
    self.code = code
  }

  /// The reason as a sentence, with the fix.
  public var description: String {
    switch code.kind {
    case .timedOut:
      "No state satisfied the predicate in time; send what leads to such a state, or wait with a longer timeout."
    case .shutDown:
      "The store was shut down before a state satisfied the predicate; wait before shutting it down."
    }
  }
}
