import Millrace

/// The erasure of keys, and the end of all.
extension KeyRegistry {
  // MARK: Erasing

  /// Refuses the uses of a key until ``didErase(_:)``; false if it is being erased already.
  mutating func erase(_ name: UTF8Text) -> Bool { erased.insert(name).inserted }

  mutating func didErase(_ name: UTF8Text) { erased.remove(name) }

  /// Removes a key for this reason: one that waits is refused, and the store of one that is open is returned.
  ///
  /// - Returns: The open key whose store is to be ended and then counted, and a promise for a key that opens or closes, after which this is to be called again.
  mutating func remove(
    _ name: UTF8Text, _ reason: Rejection
  ) -> (open: Member?, change: Promise<Bool>?, works: [Work]) {
    guard let member = members[name] else { return (nil, nil, []) }
    switch member.phase {
    case .waiting:
      line.remove(member)
      lineCount -= 1
      member.phase = .ended(reason)
      members[name] = nil
      return (nil, nil, end(member, reason))
    case .open:
      unlist(member)
      remove(member)
      leaving[ObjectIdentifier(member)] = member
      return (member, nil, resumeHibernated(member, true) + pump())
    case .opening, .closing:
      var works: [Work] = []
      if let successor = member.successor {
        successor.phase = .ended(reason)
        member.successor = nil
        works = end(successor, reason)
      }
      if member.isShutDown { return (nil, nil, works) }
      let promise = Promise<Bool>()
      member.changed.append(promise)
      return (nil, promise, works)
    case .ended: return (nil, nil, [])
    }
  }

  // MARK: The end

  /// Opens no more keys, and refuses those that wait.
  mutating func end(_ reason: Rejection) -> [Work] {
    ending = reason
    var works: [Work] = []
    while let member = line.popFirst() {
      lineCount -= 1
      member.phase = .ended(reason)
      members[UTF8Text(member.key.name)] = nil
      works += end(member, reason)
    }
    for member in members.values {
      guard let successor = member.successor else { continue }
      successor.phase = .ended(reason)
      member.successor = nil
      works += end(successor, reason)
    }
    return works
  }

  /// A promise that is fulfilled when a key that opens or closes has done so; nil if none does.
  func nextChange() -> Promise<Bool>? {
    for member in members.values {
      switch member.phase {
      case .closing where member.isShutDown: continue
      case .waiting, .opening, .closing:
        let promise = Promise<Bool>()
        member.changed.append(promise)
        return promise
      case .open, .ended: continue
      }
    }
    return nil
  }

  /// Hands over all stores, to be released without the lock, because the release of one may report to this value.
  mutating func takeAll() -> [Member] {
    defer { members = [:] }
    while unused.popFirst() != nil {}
    unusedCount = 0
    return Array(members.values)
  }

  /// The stores that are in memory, and not among those that have ended.
  var counted: [Member] {
    leaving.values
      + members.values.filter { member in
        if case .waiting = member.phase { false } else { !member.isCounted }
      }
  }

  /// The keys that are open, in no order.
  var open: [Member] {
    members.values.filter { if case .open = $0.phase { true } else { false } }
  }
}
