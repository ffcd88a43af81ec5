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
      return (nil, nil, end(member, reason) + resumeHibernated(member, true))
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

  /// Refuses all further uses, and the callers that wait for the opening of a key.
  ///
  /// - Parameters:
  ///   - reason: The reason of the refusals, if this is the first call.
  ///   - drains: Whether keys are still opened to which actions were sent; false refuses these actions too.
  mutating func end(_ reason: Rejection, drains: Bool = false) -> [Work] {
    let reason = ending ?? reason
    ending = reason
    var works: [Work] = []
    var next = line.first
    while let member = next {
      next = member.following
      if drains, !member.held.isEmpty {
        works.append(refuseCallers(of: member, reason))
        continue
      }
      line.remove(member)
      lineCount -= 1
      member.phase = .ended(reason)
      members[UTF8Text(member.key.name)] = nil
      works += end(member, reason) + resumeHibernated(member, true)
    }
    for member in members.values {
      guard let successor = member.successor else { continue }
      if drains, !successor.held.isEmpty {
        works.append(refuseCallers(of: successor, reason))
        continue
      }
      successor.phase = .ended(reason)
      member.successor = nil
      works += end(successor, reason)
    }
    return works
  }

  private func refuseCallers(of member: Member, _ reason: Rejection) -> Work {
    defer { member.opened = [] }
    return .resume(member.opened, reason)
  }

  /// Whether actions wait for the openings of their keys.
  var hasWaiting: Bool { lineCount > 0 || members.values.contains { $0.successor != nil } }

  /// A promise that is fulfilled when a key that opens or closes has done so; nil if none does.
  mutating func nextChange() -> Promise<Bool>? {
    let changes = members.values.contains { member in
      switch member.phase {
      case .closing where member.isShutDown: false
      case .waiting, .opening, .closing: true
      case .open, .ended: false
      }
    }
    if !changes { return nil }
    let promise = Promise<Bool>()
    changed.append(promise)
    return promise
  }

  /// The keys that have opened since the last call, in no order.
  mutating func takeOpen() -> [Member] {
    let taken = open.filter { !$0.isEnding }
    for member in taken { member.isEnding = true }
    return taken
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
