import Millrace

/// Opens the keys whose wake times come, until it is cancelled.
///
/// It sleeps until the earliest wake time that it knows: the first one behind those that it has opened, which it reads from the journal, or one that was stored
/// since. A key that could not be opened is tried again after a pause.
final class Waker: Sendable {
  fileprivate struct Content {
    /// For each partition the last key that was opened; nil before the first pass.
    var opened: [JournalDue?]
    /// For each partition the wall time in milliseconds of the next pass.
    var alarms: [Int64]
    /// The keys that are tried again, and the wall time of that.
    var failed: [JournalKey] = []
    var failedAlarm = Int64.max
    /// Ends the sleep until the earliest of these times.
    var wake: (@Sendable () -> Void)?
  }

  let partitions: OwnedPartitions
  private let content: Lock<Content>

  init(_ partitions: OwnedPartitions) {
    self.partitions = partitions
    content = Lock(
      Content(
        opened: Array(repeating: nil, count: partitions.count), alarms: Array(repeating: .min, count: partitions.count))
    )
  }

  // MARK: Events

  /// Notes that a partition was taken, so that its keys that have to be open are opened.
  func didTake(_ partition: Int) {
    let wake = content.withLock { content in
      content.opened[partition] = nil
      return content.ring(partition, at: .min)
    }
    wake?()
  }

  /// Notes that a key has hibernated until a wall time in milliseconds.
  func didHibernate(_ key: JournalKey, until end: Int64) {
    let wake = content.withLock { content in
      // The wall time may have been set back since the last pass.
      let index = partitions.number(of: key)
      if let last = content.opened[index], last.wake >= end { content.opened[index] = due(before: end) }
      return content.ring(index, at: end)
    }
    wake?()
  }

  /// Notes that the store of a key has stopped, so that its open runs have to be handled by another one.
  func didStop(_ key: JournalKey, at now: Int64) {
    let wake = content.withLock { content in
      content.failed.append(key)
      return content.ringFailed(at: WallTime.after(.seconds(1), now))
    }
    wake?()
  }

  /// The place in a list of due keys behind those of earlier times.
  private func due(before time: Int64) -> JournalDue {
    JournalDue(JournalKey("", of: partitions.stores), wake: max(time, 1))
  }

  // MARK: Passes

  /// Opens due keys until the task is cancelled.
  func run<Key, I>(_ stores: StoresCore<Key, I>) async {
    var pause = Duration.seconds(1)
    while !Task.isCancelled {
      let now = stores.parts.configuration.wallTime()
      let (again, due) = content.withLock { $0.begin(at: now) }
      var failed = await stores.wake(again)
      for index in due {
        if let claim = partitions.claim(of: index) { failed += await pass(claim, before: now + 1, stores) }
      }
      // Not before, so that of all runs that were open the one with the fewest deaths is handled first.
      stores.source.recoveryLine?.open()
      let isFirst = failed.isEmpty
      let alarm = isFirst ? Int64.max : WallTime.after(pause, stores.parts.configuration.wallTime())
      pause = isFirst ? .seconds(1) : min(pause * 2, .seconds(60))
      content.withLock { [failed] content in
        content.failed += failed
        content.failedAlarm = min(content.failedAlarm, alarm)
      }
      await sleep(stores)
    }
  }

  /// Opens the keys of a partition that are due, notes when the next one is, and returns those that could not be opened.
  private func pass<Key, I>(
    _ claim: JournalClaim, before time: Int64, _ stores: StoresCore<Key, I>
  ) async -> [JournalKey] {
    let index = claim.partition.number
    var failed: [JournalKey] = []
    do {
      while !Task.isCancelled {
        let last = content.withLock { $0.opened[index] }
        let page = try await stores.source.due(in: claim.partition, before: time, after: last, upTo: 1_000)
        failed += await stores.wake(page.map(\.key))
        // Keys that have to be open all the time were opened by the first pass.
        let end = page.last ?? (last == nil ? due(before: 1) : nil)
        let isOwned = content.withLock { content in
          // A partition that was taken again has keys to be opened again.
          guard partitions.claim(of: index) == claim else { return false }
          if let end, content.opened[index] == last { content.opened[index] = end.wake == 0 ? due(before: 1) : end }
          return true
        }
        if page.isEmpty || !isOwned { break }
      }
      let last = content.withLock { $0.opened[index] }
      let next = try await stores.source.due(in: claim.partition, before: .max, after: last, upTo: 1).first
      if let next { content.withLock { $0.alarms[index] = min($0.alarms[index], next.wake) } }
    } catch {
      // The journal may be closed behind a shutdown.
      if Task.isCancelled { return failed }
      stores.reportWake("The due keys of \(claim.partition) were not read, and are read again soon: \(error)", error)
      content.withLock { $0.alarms[index] = min($0.alarms[index], WallTime.after(.seconds(60), time)) }
    }
    return failed
  }

  // MARK: Sleeping

  /// Sleeps until the alarm, by the wall time, which is read again after at most a minute.
  private func sleep<Key, I>(_ stores: StoresCore<Key, I>) async {
    while !Task.isCancelled {
      let end = content.withLock { $0.alarm }
      let rest = WallTime.rest(until: end, stores.parts.configuration.wallTime())
      if rest <= .zero { return }
      let promise = Promise<Void>()
      let sleeper =
        end == .max
        ? nil
        : Task.detached {
          try? await stores.sleep(for: rest)
          promise.fulfil(())
        }
      let wake: @Sendable () -> Void = {
        sleeper?.cancel()
        promise.fulfil(())
      }
      let isLate = content.withLock { content in
        content.wake = wake
        return content.alarm < end
      }
      if isLate { wake() }
      await withTaskCancellationHandler {
        await promise.value
      } onCancel: {
        wake()
      }
      content.withLock { $0.wake = nil }
    }
  }
}

extension Waker.Content {
  /// The earliest alarm.
  fileprivate var alarm: Int64 { min(alarms.min() ?? .max, failedAlarm) }

  /// Sets the alarm of a partition, and returns the call that ends a sleep beyond it.
  fileprivate mutating func ring(_ partition: Int, at time: Int64) -> (@Sendable () -> Void)? {
    let isEarlier = time < alarm
    alarms[partition] = min(alarms[partition], time)
    return isEarlier ? wake : nil
  }

  /// Sets the alarm of the keys that are tried again, as ``ring(_:at:)``.
  fileprivate mutating func ringFailed(at time: Int64) -> (@Sendable () -> Void)? {
    let isEarlier = time < alarm
    failedAlarm = min(failedAlarm, time)
    return isEarlier ? wake : nil
  }

  /// Begins a pass: the keys that are tried again, and the partitions whose alarms have come.
  fileprivate mutating func begin(at now: Int64) -> (again: [JournalKey], partitions: [Int]) {
    let due = alarms.indices.filter { alarms[$0] <= now }
    for index in due { alarms[index] = .max }
    guard failedAlarm <= now else { return ([], due) }
    defer { (failed, failedAlarm) = ([], .max) }
    return (failed, due)
  }
}

extension StoresCore {
  /// Opens keys, as many at once as the limits say, and returns those that could not be opened and are to be tried again.
  func wake(_ keys: [JournalKey]) async -> [JournalKey] {
    let width = registry.withLock { $0.limits.opening }
    return await withTaskGroup(of: JournalKey?.self, returning: [JournalKey].self) { group in
      var failed: [JournalKey] = []
      for (index, key) in keys.enumerated() {
        if index >= width, let result = await group.next(), let key = result { failed.append(key) }
        group.addTask { await self.wake(key) ? nil : key }
      }
      for await case let key? in group { failed.append(key) }
      return failed
    }
  }

  /// Opens a key; false if it is to be tried again.
  private func wake(_ key: JournalKey) async -> Bool {
    do {
      try await withStore(of: key, isWake: true) { _ in }
      return true
    } catch {
      if error is CancellationError || registry.withLock({ $0.ending != nil }) { return true }
      // The partition was given up meanwhile, and its new owner opens the key.
      if case .rejected(.notOwner) = (error as? StoreError)?.outcome { return true }
      reportWake("The key \(key.quoted) has to be open, and was not opened. \(error)", error)
      let code = ((error as? StoreError)?.underlying as? JournalError)?.code
      return code == .conflict || code == .lost || code == .noKey
    }
  }

  func reportWake(_ text: String, _ error: any Error) {
    parts.configuration.report(Incident(.failedWake, of: I.Action.self, error: error, text))
  }
}
