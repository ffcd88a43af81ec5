import Millrace

/// The keys that are in memory: those that wait for their opening, those that are open, and those that hibernate.
///
/// Each event returns the work that its caller has to do once it has released the lock that guards this value. The work calls stores, and reports
/// back by another event.
///
/// | From | Event | To |
/// |---|---|---|
/// | cold | a use | waiting, in the order of the uses |
/// | waiting | fewer than `opening` open, and fewer than `live` are in memory | opening |
/// | opening | the log is read, and the held actions are passed | open |
/// | open | unused for `idle`, or the one unused for longest while a key waits; found to be idle, and not used meanwhile | closing |
/// | closing | what is to be stored is stored | cold, or waiting if it was used meanwhile |
struct KeyRegistry<I: Interactor> {
  typealias Member = KeyedStore<I>

  enum Work {
    case open(Member)
    /// See whether a store is idle that had been used this number of times, and otherwise watch it if it is not watched yet.
    case examine(Member, generation: Int, watches: Bool)
    /// Begin to look at the keys that have been unused for longest.
    case sweep
    case resume([Promise<Rejection?>], Rejection?)
    case resumeHibernated([Promise<Bool>], Bool)
    case reject([HeldAction<I>], of: Member, Rejection)
  }

  /// The store to use, or the reason for which there is none.
  enum Found {
    case member(Member)
    case rejected(Rejection)
    /// A new one has to be made, and given to ``add(_:)``.
    case none
  }

  let limits: StoresLimits

  var members: [UTF8Text: Member] = [:]

  /// The keys that wait for their opening, the first one first.
  var line = LinkedList<Member>()
  var lineCount = 0

  /// The open keys without a use, the one unused for longest first; not those that are known to be busy.
  var unused = LinkedList<Member>()
  var unusedCount = 0

  /// The numbers of keys that are opening, open or closing, and of those that are opening, examined or closing.
  private(set) var occupied = 0
  private(set) var opening = 0
  private(set) var closing = 0
  private(set) var examined = 0

  /// Whether keys are opened; the reason of the rejections if not.
  var ending: Rejection?
  private(set) var isSweeping = false

  /// The stores of keys that have been removed, and are being ended.
  var leaving: [ObjectIdentifier: Member] = [:]

  /// Resumed when any key has opened or closed, or is refused.
  var changed: [Promise<Bool>] = []

  /// The keys that are being erased.
  var erased: Set<UTF8Text> = []
  var tally = StoresTally()

  /// The metrics of the stores that have ended.
  private(set) var ended = MetricsSum()
  /// The error with which all stores have ended, because another process has claimed them, or the journal has lost what it had acknowledged.
  var failure: JournalError?

  init(_ limits: StoresLimits) {
    // Once more, because each limit may have been set since.
    self.limits = StoresLimits(
      live: limits.live, idle: limits.idle, opening: limits.opening, waiting: limits.waiting)
  }

  // MARK: Uses

  /// Begins a use of the store of a key, which lasts until ``didUse(_:at:)``.
  mutating func use(_ name: UTF8Text) -> Found {
    if let ending { return .rejected(ending) }
    if !erased.isEmpty, erased.contains(name) { return .rejected(.erased) }
    guard let member = members[name] else { return .none }
    if case .closing = member.phase {
      guard let successor = member.successor else { return .none }
      return .member(begin(successor))
    }
    return .member(begin(member))
  }

  private mutating func begin(_ member: Member) -> Member {
    member.uses += 1
    member.generation &+= 1
    unlist(member)
    return member
  }

  /// Adds the store of a key, unless there is one by now, and begins a use.
  ///
  /// - Parameter isWake: Whether the key has to be opened, so that no limit of those that wait applies to it.
  mutating func add(_ made: Member, isWake: Bool) -> (Found, [Work]) {
    let name = UTF8Text(made.key.name)
    let found = use(name)
    guard case .none = found else { return (found, []) }
    if let member = members[name] {
      member.successor = made
      return (.member(begin(made)), [])
    }
    guard isWake || lineCount < limits.waiting || mayOpen else {
      tally.refused += 1
      return (.rejected(.full(at: .keys)), [])
    }
    members[name] = made
    made.uses += 1
    enqueue(made)
    return (.member(made), pump())
  }

  /// Ends a use.
  mutating func didUse(_ member: Member, at now: Int64) -> [Work] {
    member.uses -= 1
    return list(member, at: now)
  }

  /// Keeps an action that was held until the store is open; false if it is open, or has ended.
  mutating func hold(_ action: HeldAction<I>, for member: Member) -> Bool {
    switch member.phase {
    case .waiting, .opening:
      member.held.append(action)
      return true
    case .open, .closing, .ended: return false
    }
  }

  // MARK: Opening

  /// Whether as many keys are in memory as may be.
  var isFull: Bool { occupied >= limits.live }

  private var mayOpen: Bool { opening < limits.opening && !isFull }

  private mutating func enqueue(_ member: Member) {
    line.append(member)
    lineCount += 1
  }

  /// Begins the openings for which there is room, and makes room for the others.
  mutating func pump() -> [Work] {
    var works: [Work] = []
    while mayOpen, let member = line.popFirst() {
      lineCount -= 1
      member.phase = .opening
      opening += 1
      occupied += 1
      works.append(.open(member))
    }
    while isFull, lineCount > examined + closing, let member = unused.first {
      works.append(examine(member))
    }
    return works
  }

  /// Returns the actions that are to be passed before the store is open; nil once it is.
  mutating func didOpen(_ member: Member, at now: Int64) -> (held: [HeldAction<I>]?, works: [Work]) {
    if !member.held.isEmpty {
      defer { member.held = [] }
      return (member.held, [])
    }
    opening -= 1
    tally.opened += 1
    let opened = member.opened
    member.opened = []
    if member.hasStopped, ending == nil {
      remove(member)
    } else {
      member.phase = .open
    }
    return (nil, [.resume(opened, nil)] + resumeHibernated(member, false) + list(member, at: now) + pump())
  }

  mutating func didFailToOpen(_ member: Member, _ reason: Rejection) -> [Work] {
    opening -= 1
    tally.failed += 1
    remove(member, reason)
    return end(member, reason) + resumeHibernated(member, true) + pump()
  }

  /// Notes the metrics of a store that has ended, once.
  mutating func count(_ metrics: Metrics?, of member: Member) {
    leaving[ObjectIdentifier(member)] = nil
    guard let metrics, !member.isCounted else { return }
    member.isCounted = true
    // Until the opening is over the revision may be the restored one, or not.
    ended.add(metrics, since: member.opening?.revision ?? metrics.commits, hasEnded: true)
  }

  /// Removes the key of a store that has stopped, so that the next use opens it anew.
  ///
  /// When all stores end, the key stays until the report has its failure.
  mutating func didStop(_ member: Member) -> [Work] {
    member.hasStopped = true
    return ending == nil ? takeOut(member) : []
  }

  /// Removes the key of a store that has ended with all stores, so that another key has its place.
  mutating func didEnd(_ member: Member) -> [Work] { resumeHibernated(member, true) + takeOut(member) }

  private mutating func takeOut(_ member: Member) -> [Work] {
    guard case .open = member.phase else { return [] }
    unlist(member)
    remove(member)
    return pump()
  }

  mutating func remove(_ member: Member, _ reason: Rejection? = nil) {
    member.phase = .ended(reason)
    members[UTF8Text(member.key.name)] = nil
    occupied -= 1
  }

  func end(_ member: Member, _ reason: Rejection) -> [Work] {
    defer { (member.held, member.opened) = ([], []) }
    return [.reject(member.held, of: member, reason), .resume(member.opened, reason)]
  }

  // MARK: Hibernating

  /// Lists a key without a use as one that may hibernate.
  private mutating func list(_ member: Member, at now: Int64) -> [Work] {
    guard case .open = member.phase, member.uses == 0, !member.isExamined, !isListed(member) else { return [] }
    member.lastUse = now
    unused.append(member)
    unusedCount += 1
    let works = pump()
    guard !isSweeping, ending == nil, !unused.isEmpty else { return works }
    isSweeping = true
    return works + [.sweep]
  }

  private func isListed(_ member: Member) -> Bool {
    member.previous != nil || member.following != nil || unused.first === member
  }

  mutating func unlist(_ member: Member) {
    guard case .open = member.phase, isListed(member) else { return }
    unused.remove(member)
    unusedCount -= 1
  }

  private mutating func examine(_ member: Member) -> Work {
    unlist(member)
    member.isExamined = true
    examined += 1
    defer { member.isWatched = true }
    return .examine(member, generation: member.generation, watches: !member.isWatched)
  }

  /// Examines the keys that have been unused for long enough, and returns the time at which the next one is; nil without any.
  mutating func expire(at now: Int64) -> (works: [Work], next: Int64?) {
    var works: [Work] = []
    while let member = unused.first {
      let due = member.lastUse &+ limits.idle.nanoseconds
      if due > now { return (works, due) }
      works.append(examine(member))
    }
    isSweeping = false
    return (works, nil)
  }

  /// Examines a key at once; nil if it is not open, or used.
  mutating func hibernate(_ name: UTF8Text, _ promise: Promise<Bool>) -> [Work]? {
    guard let member = members[name] else { return nil }
    switch member.phase {
    case .closing: break
    case .open where member.isExamined: break
    case .open where member.uses == 0:
      member.hibernated.append(promise)
      return [examine(member)]
    case .waiting, .opening, .open, .ended: return nil
    }
    member.hibernated.append(promise)
    return []
  }

  /// Begins to close an idle store, unless it was used since it was found idle.
  ///
  /// - Parameter isUnwatched: Whether the examination has found no need to watch the store.
  mutating func close(
    _ member: Member, generation: Int, isUnwatched: Bool, at now: Int64
  ) -> (begins: Bool, works: [Work]) {
    if isUnwatched { member.isWatched = false }
    guard didExamine(member), member.uses == 0, member.generation == generation else {
      return (false, resumeHibernated(member, false) + list(member, at: now) + pump())
    }
    closing += 1
    member.phase = .closing
    return (true, [])
  }

  /// Notes that a store is busy, and watched.
  mutating func isBusy(_ member: Member, at now: Int64) -> [Work] {
    let works = resumeHibernated(member, false)
    // It may have become idle, and said so, while it was examined.
    return works + (didExamine(member) && !member.isWatched ? list(member, at: now) : []) + pump()
  }

  /// Notes that the state of an idle store has to stay in memory.
  mutating func stays(_ member: Member, generation: Int, isUnwatched: Bool, at now: Int64) -> [Work] {
    if isUnwatched { member.isWatched = false }
    // A state that was looked at before a use may be another one by now.
    let isListed = didExamine(member) && member.generation != generation
    return resumeHibernated(member, false) + (isListed ? list(member, at: now) : []) + pump()
  }

  /// Ends the examination of a store; false if it has stopped meanwhile.
  private mutating func didExamine(_ member: Member) -> Bool {
    member.isExamined = false
    examined -= 1
    if case .open = member.phase { return true }
    return false
  }

  /// Notes that a store that was watched may be idle.
  mutating func mayBeIdle(_ member: Member, at now: Int64) -> [Work] {
    member.isWatched = false
    return list(member, at: now)
  }

  /// Notes that nothing more of a store is stored, so that a shutdown and an erasure need not wait for its handlers.
  mutating func didShutDown(_ member: Member) -> [Work] {
    member.isShutDown = true
    defer { (member.changed, changed) = ([], []) }
    return [.resumeHibernated(member.changed + changed, false)]
  }

  mutating func didClose(_ member: Member) -> [Work] {
    closing -= 1
    tally.hibernated += 1
    remove(member)
    if let successor = member.successor {
      members[UTF8Text(member.key.name)] = successor
      member.successor = nil
      enqueue(successor)
    }
    return resumeHibernated(member, true) + pump()
  }

  mutating func resumeHibernated(_ member: Member, _ has: Bool) -> [Work] {
    let waiting = member.hibernated + member.changed + changed
    if waiting.isEmpty { return [] }
    (member.hibernated, member.changed, changed) = ([], [], [])
    return [.resumeHibernated(waiting, has)]
  }
}
