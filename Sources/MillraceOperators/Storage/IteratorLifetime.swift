/// The one iterator of an operator, or its copies: with the last of them the sequence ends.
///
/// The tasks of an operator hold the storage, and nothing that they hold holds this.
final class IteratorLifetime<State: OperatorState>: Sendable {
  let storage: OperatorStorage<State>

  init(_ storage: OperatorStorage<State>) {
    self.storage = storage
  }

  deinit {
    storage.cancel()
  }
}
