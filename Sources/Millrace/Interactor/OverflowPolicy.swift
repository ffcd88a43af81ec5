/// What happens when an action has to wait and as many wait already as the store's limits allow.
///
/// Whoever is dropped gets ``Rejection/full``, with its closing mutation if it was taken up.
public enum OverflowPolicy: Sendable, Hashable, CaseIterable {
  /// The new action is rejected, untouched: nothing that was decided for it is committed.
  case reject

  /// The action that has waited longest makes room for the new one.
  case dropOldest

  /// The action that began to wait last makes room for the new one.
  case dropNewest
}
