/// The requests of this process whose callers are runs: each run that waits in a request now, with the action that it waits for.
///
/// They are looked at only where the action of such a request waits for the end of other runs. An entry is removed when its wait ends.
enum RequestWaits {
  private static let waits = Lock<[ObjectIdentifier: [Ticket]]>([:])

  /// Notes that a run waits for the end of an action that it has requested.
  static func add(_ action: Ticket, requestedBy run: Ticket) {
    waits.withLock { $0[ObjectIdentifier(run), default: []].append(action) }
  }

  /// Forgets a wait that has ended.
  static func remove(_ action: Ticket, requestedBy run: Ticket) {
    waits.withLock { remove(action, requestedBy: run, from: &$0) }
  }

  /// Forgets the wait of a run for an action that can never end, and describes the circle; nil if the action may end.
  ///
  /// An action can never end if it needs the ends of runs that can never end, or if its handler waits in requests for such actions. Each
  /// store answers for its own runs in a step of its own, so the waits are read twice: a wait that was there both times was there in
  /// between, so all of them were at one moment. Of several requests that close one circle the first one's wait is forgotten, and the
  /// others find the circle open.
  static func removeFromCircle(_ action: Ticket, requestedBy run: Ticket) -> String? {
    guard let first = Circle(of: action), first == Circle(of: action) else { return nil }
    let isRemoved = waits.withLock { waits in
      let isClosed = first.requests.allSatisfy { request in
        waits[ObjectIdentifier(request.run)]?.contains { $0 === request.action } == true
      }
      if isClosed { remove(action, requestedBy: run, from: &waits) }
      return isClosed
    }
    return isRemoved ? first.hops.joined(separator: ", ") : nil
  }

  private static func remove(_ action: Ticket, requestedBy run: Ticket, from waits: inout [ObjectIdentifier: [Ticket]])
  {
    let run = ObjectIdentifier(run)
    guard let index = waits[run]?.firstIndex(where: { $0 === action }) else { return }
    waits[run]?.remove(at: index)
    if waits[run]?.isEmpty == true { waits[run] = nil }
  }

  /// The actions that a run waits for in requests.
  static func actions(requestedBy run: Ticket) -> [Ticket] {
    waits.withLock { $0[ObjectIdentifier(run)] ?? [] }
  }
}

/// The waits that keep an action from ending for ever.
private struct Circle: Equatable {
  /// The requests among them.
  private(set) var requests: [(run: Ticket, action: Ticket)] = []

  /// Each wait, as words.
  private(set) var hops: [String] = []

  private var seen: Set<ObjectIdentifier> = []

  /// The waits of an action; nil if it may end.
  init?(of action: Ticket) {
    if !add(action) { return nil }
  }

  static func == (one: Circle, other: Circle) -> Bool {
    // The words name each action by its id and its store.
    one.hops == other.hops
  }

  /// Adds the waits of an action or a run that are not known yet; false if it may end.
  private mutating func add(_ ticket: Ticket) -> Bool {
    if !seen.insert(ObjectIdentifier(ticket)).inserted { return true }
    switch ticket.waitNow {
    case .other: return false
    case .ends(let runs):
      hops += runs.map { "\(ticket.name) waits for \($0.name)" }
      return runs.allSatisfy { add($0) }
    case .handler:
      let (actions, position) = (RequestWaits.actions(requestedBy: ticket), hops.count)
      guard !actions.isEmpty, actions.allSatisfy({ add($0) }) else { return false }
      requests += actions.map { (ticket, $0) }
      // Not before: the step that has told the wait of an action gives it the number of its store.
      hops.insert(contentsOf: actions.map { "\(ticket.name) requests \($0.name)" }, at: position)
      return true
    }
  }
}
