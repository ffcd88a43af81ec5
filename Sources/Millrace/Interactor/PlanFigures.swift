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

extension PlanFigures {
  /// The sums of the figures of two stores, by the names of the plans.
  static func merging(_ some: [PlanFigures], _ others: [PlanFigures]) -> [PlanFigures] {
    var all = some
    for other in others {
      guard let index = all.firstIndex(where: { $0.name == other.name }) else {
        all.append(other)
        continue
      }
      all[index].running += other.running
      all[index].waiting += other.waiting
      all[index].breakerRejections += other.breakerRejections
      all[index].openBreakers += other.openBreakers
    }
    return all
  }

  /// The figures that remain when the store has ended.
  var counts: PlanFigures {
    var counts = PlanFigures(name: name)
    counts.breakerRejections = breakerRejections
    return counts
  }
}
