/// An action that has not ended, or whose handler has not returned, and the reason.
@usableFromInline
package struct OpenAction: Sendable, CustomStringConvertible {
  /// The run; nil for a shared one that has no action of its own.
  package let run: RunID?

  /// The run whose handler waits for the outcome of this action; nil if none does.
  package let awaitedBy: RunID?

  /// The runs that this action waits for: each of them has to continue first.
  package let waitsFor: [RunID]

  /// The action and the reason, a sentence without its end.
  @usableFromInline package let description: String

  package init(_ description: String, run: RunID?, awaitedBy: RunID? = nil, waitsFor: [RunID] = []) {
    self.description = description
    self.run = run
    self.awaitedBy = awaitedBy
    self.waitsFor = waitsFor
  }
}
