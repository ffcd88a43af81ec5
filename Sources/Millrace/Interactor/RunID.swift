/// Tells one run from every other one of this process, or of its simulated world: the store it is in, and its action there.
public struct RunID: Sendable, Hashable, CustomStringConvertible {
  /// The number of the store; stores are numbered when their first action is handled, those of a simulated world from -1 down.
  public let store: Int

  /// The action that is handled.
  public let action: ActionID

  package init(store: Int, action: ActionID) {
    self.store = store
    self.action = action
  }

  /// The action's id and the store's number.
  public var description: String { "\(action)@\(store)" }
}
