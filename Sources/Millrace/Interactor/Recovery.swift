/// What becomes of a run that was open when its process crashed, once the store is restored from a journal.
///
/// Without a journal it means nothing.
public enum Recovery: Sendable, Hashable {
  /// It ends as ``Outcome/abandoned``, and is closed.
  case abandon

  /// It is handled again, with the same ``Run/idempotencyKey``.
  case handleAgain
}
