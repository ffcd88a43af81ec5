/// Orders that a store has the wrong way round, for tests that have to notice it.
package struct SwappedOrders: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Of those that wait for a place of their key, the last one is taken up first.
  package static let turns = SwappedOrders(rawValue: 1)

  /// A run is taken up before those are closed that it replaces.
  package static let closings = SwappedOrders(rawValue: 2)
}
