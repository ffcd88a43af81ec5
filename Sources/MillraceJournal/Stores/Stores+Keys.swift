import Millrace

extension Stores {
  /// The number of keys in memory, and the counts since the stores were opened.
  public var summary: StoresSummary {
    let shared = (core.source.partitions, sharing?.membership.isMember ?? true)
    return core.registry.withLock { StoresSummary($0, shared.0, core.source.losses, isMember: shared.1) }
  }

  /// Hibernates a key now, if it is idle; otherwise as if it had not been used for ``StoresLimits/idle``.
  ///
  /// Cancellation of the calling task has no effect.
  ///
  /// - Returns: Whether the key is not in memory: false if it is used, or has to stay.
  @discardableResult
  public func hibernate(_ id: Key) async -> Bool {
    let (promise, name) = (Promise<Bool>(), UTF8Text(id.description))
    let (works, isCold) = core.registry.withLock { ($0.hibernate(name, promise), $0.members[name] == nil) }
    guard let works else { return isCold }
    core.perform(works)
    return await promise.value
  }

  /// Erases a key: its log, its snapshot, its results and its name.
  ///
  /// Open actions of the key end as `Outcome.cancelled` without closings, its observers end, and uses meanwhile are refused as `Rejection.erased`. After that
  /// the key begins with its initial state. Records of other keys, of projections and of copies that name it are not changed.
  ///
  /// **Cancellation** of the calling task has no effect.
  ///
  /// - Throws: ``JournalError``, after which the key is cold and may be erased again, and `StoreError` after a shutdown.
  public func erase(_ id: Key) async throws { try await core.erase(journalKey(id)) }

  // MARK: Lists

  /// The keys that the journal has, or without a journal those in memory, in the order of the UTF-8 of their descriptions.
  ///
  /// A name that is no key any more (`Key(description)` is nil) is left out. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - prefix: The text with which the descriptions begin.
  ///   - id: The key before the first one; nil to begin.
  /// - Returns: Up to 1,000 keys; none behind the last one.
  /// - Throws: ``JournalError``.
  public func keys(prefix: String = "", after id: Key? = nil) async throws(JournalError) -> [Key] {
    var last = id?.description
    while true {
      let page = try await core.source.keys(of: core.name, prefix: prefix, after: last)
      guard let page else { return names(prefix: prefix, after: last).compactMap { Key($0) } }
      let keys = page.compactMap { Key($0.name) }
      if !keys.isEmpty || page.isEmpty { return keys }
      last = page.last?.name
    }
  }

  /// The keys in memory in the order of the UTF-8 of their descriptions, at most 1,000 behind one.
  ///
  /// - Parameter id: The key before the first one; nil to begin.
  public func liveKeys(after id: Key? = nil) -> [Key] {
    names(prefix: "", after: id?.description).compactMap { Key($0) }
  }

  /// The keys that have to be open now, in any of the processes that share them, the earliest wake time first.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameter limit: The largest number of keys.
  /// - Throws: ``JournalError``.
  public func dueKeys(limit: Int = 1_000) async throws(JournalError) -> [Key] {
    let now = core.parts.configuration.wallTime()
    var due: [JournalDue] = []
    for partition in core.source.partitions?.all ?? [] {
      due += try await core.source.due(in: partition, before: now + 1, after: nil, upTo: max(limit, 0))
    }
    return due.sorted { ($0.wake, $0.key) < ($1.wake, $1.key) }.prefix(max(limit, 0)).compactMap { Key($0.key.name) }
  }

  private func names(prefix: String, after last: String?) -> [String] {
    let all = core.registry.withLock { $0.members.keys.map(\.text) }
    let found = all.filter { name in
      name.utf8.starts(with: prefix.utf8) && last.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true
    }
    return Array(found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(largestPage))
  }
}

extension StoresCore {
  fileprivate func erase(_ key: JournalKey) async throws {
    let name = UTF8Text(key.name)
    let (isFirst, ending) = registry.withLock { ($0.erase(name), $0.ending) }
    if let ending { throw RejectedUse(reason: ending, isFinal: true).error }
    guard isFirst else { throw RejectedUse(reason: .erased).error }
    defer { registry.withLock { $0.didErase(name) } }
    if let partitions = source.partitions, let reason = partitions.refusal(of: partitions.number(of: key)) {
      throw RejectedUse(reason: reason).error
    }
    await remove(name, .erased) { await $0.discard() }
    do {
      try await source.erase(key)
    } catch {
      didFail(error)
      throw error
    }
  }
}

/// The keys of a `Stores` that are in memory, and its counts since it was opened.
public struct StoresSummary: Sendable, Hashable, CustomStringConvertible {
  /// The number of keys that are open.
  public let live: Int

  /// The number of live keys that are in use: by a caller, an observer, or work that has not ended when the store was looked at last.
  public let pinned: Int

  /// The number of keys that are being opened.
  public let opening: Int

  /// The number of keys that store what is to be stored before they hibernate.
  public let hibernating: Int

  /// The number of keys that wait for their opening.
  public let waiting: Int

  /// The number of keys that were opened.
  public let opened: Int

  /// The number of openings that failed.
  public let failed: Int

  /// The number of times that a key has hibernated.
  public let hibernated: Int

  /// The number of uses that were rejected as `Rejection.full`, because too many keys waited.
  public let refused: Int

  /// The number of processes that share the partitions, as this one has seen it last; 1 for a process alone.
  public let members: Int

  /// Whether this process has renewed its lease in time; true for a process alone.
  public let isMember: Bool

  /// The number of partitions; 0 without a journal.
  public let partitions: Int

  /// The number of partitions that this process owns, and does not give up.
  public let ownedPartitions: Int

  /// The losses of records that the journal has noticed since it was opened.
  public let losses: JournalLosses

  init<I>(_ registry: KeyRegistry<I>, _ partitions: OwnedPartitions?, _ losses: JournalLosses, isMember: Bool) {
    self.losses = losses
    (members, ownedPartitions) = partitions?.counts ?? (1, 0)
    self.partitions = partitions?.count ?? 0
    self.isMember = isMember
    live = registry.occupied - registry.opening - registry.closing
    pinned = live - registry.unusedCount - registry.examined
    opening = registry.opening
    hibernating = registry.closing
    waiting = registry.lineCount
    (opened, failed) = (registry.tally.opened, registry.tally.failed)
    (hibernated, refused) = (registry.tally.hibernated, registry.tally.refused)
  }

  /// The summary in one line.
  public var description: String {
    """
    \(live) live (\(pinned) in use), \(opening) opening, \(hibernating) hibernating, \(waiting) waiting; \(opened) opened, \(failed) failed to open, \
    \(hibernated) hibernated, \(refused) refused\(share)\(losses.count == 0 ? "" : "; lost records of \(losses.count) partitions")
    """
  }

  /// The part of the partitions, if there are several processes.
  private var share: String {
    guard members != 1 || !isMember else { return "" }
    return
      "; owns \(ownedPartitions) of \(partitions) partitions with \(members) members\(isMember ? "" : ", and its lease has ended")"
  }
}
