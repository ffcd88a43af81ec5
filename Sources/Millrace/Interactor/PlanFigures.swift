/// The figures of the plans with one name, for ``Metrics``.
package struct PlanFigures: Sendable, Equatable {
  package let name: String

  /// The number of actions that hold a slot and their permits.
  package var running = 0

  /// The number of actions that were taken up and wait for a slot or a permit.
  package var waiting = 0

  /// The number of actions that a breaker refused since the store was made.
  package var breakerRejections = 0

  /// The number of breakers that these plans opened and that are not closed again.
  package var openBreakers = 0

  package init(name: String) {
    self.name = name
  }
}
