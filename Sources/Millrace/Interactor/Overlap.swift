/// What happens when an action meets earlier ones of its key.
package enum Overlap: Sendable, Hashable {
  /// It starts if fewer than so many of its key are in flight, and waits for its turn otherwise.
  case concurrent(max: Int)
  /// It ends the earlier ones as superseded, and starts.
  case latest
  /// It is rejected as long as an earlier one has not ended.
  case exclusive
  /// It joins the one that is in flight, if there is one.
  case shared
}
