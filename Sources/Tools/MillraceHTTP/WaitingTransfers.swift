/// Transfers that wait for a connection, in their order.
struct WaitingTransfers<Transfer> {
  /// The identities in their order, from the index `first` on; those of removed transfers are skipped.
  private var order: [UInt64] = []
  private var first = 0
  private var transfers: [UInt64: Transfer] = [:]

  mutating func append(_ transfer: Transfer, id: UInt64) {
    order.append(id)
    transfers[id] = transfer
  }

  /// Removes a transfer; nil when it does not wait.
  mutating func remove(_ id: UInt64) -> Transfer? {
    defer { dropRemoved() }
    return transfers.removeValue(forKey: id)
  }

  /// Removes the transfer that has waited the longest; nil when none waits.
  mutating func removeFirst() -> (id: UInt64, transfer: Transfer)? {
    defer { dropRemoved() }
    while first < order.count {
      let id = order[first]
      first += 1
      if let transfer = transfers.removeValue(forKey: id) { return (id, transfer) }
    }
    return nil
  }

  /// The number of identities that are stored, removed ones included.
  var storedCount: Int { order.count }

  /// Drops identities that are of no use, when they are more than half of all: each costs a constant time that way.
  private mutating func dropRemoved() {
    guard order.count > 2 * transfers.count + 16 else { return }
    order = order[first...].filter { transfers[$0] != nil }
    first = 0
  }
}
