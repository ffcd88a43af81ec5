import Millrace

/// The way in which a test requests an answer.
enum RequestWay: CaseIterable {
  case atOnce, waitingForRoom

  /// The log in the step in which the action ends.
  func log(
    of action: ScriptedInteractor.Action, at store: Store<ScriptedInteractor>, cancelsAction: Bool = false
  ) async throws -> [String] {
    switch self {
    case .atOnce: try await store.request(action, cancelsAction: cancelsAction, returning: { $0.log })
    case .waitingForRoom:
      try await store.request(
        action, waitingForRoom: true, cancelsAction: cancelsAction, returning: { $0.log })
    }
  }

  /// The outcome of an action that does not finish; nil if it does.
  func outcome(of action: ScriptedInteractor.Action, at store: Store<ScriptedInteractor>) async throws -> Outcome? {
    do {
      _ = try await log(of: action, at: store)
      return nil
    } catch let error as StoreError {
      return error.outcome
    }
  }
}
