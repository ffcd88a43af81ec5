import Millrace

/// Opens the keys whose wake times come, until it is cancelled.
///
/// It sleeps until the earliest wake time that it knows: the first one behind those that it has opened, which it reads from the journal, or one that was stored
/// since. A key that could not be opened is tried again after a pause.
final class Waker: Sendable {
  fileprivate struct Content {
    /// For each partition the last key that was opened; nil before the first pass.
    var opened: [JournalDue?]
    /// The keys that are tried again.
    var failed: [JournalKey] = []
    /// The wall time in milliseconds of the next pass.
    var alarm = Int64.max
    /// Ends the sleep until then.
    var wake: (@Sendable () -> Void)?
  }

  let partitions: [JournalPartition]
  private let content: Lock<Content>

  init(_ partitions: [JournalPartition]) {
    self.partitions = partitions
    content = Lock(Content(opened: partitions.map { _ in nil }))
  }

  // MARK: Events

  /// Notes that a key has hibernated until a wall time in milliseconds.
  func didHibernate(_ key: JournalKey, until end: Int64) {
    let wake = content.withLock { content in
      // The wall time may have been set back since the last pass.
      let index = partitions.count == 1 ? 0 : partition(of: key)
      if let last = content.opened[index], last.wake >= end { content.opened[index] = due(before: end) }
      return content.ring(at: end)
    }
    wake?()
  }

  /// Notes that the store of a key has stopped, so that its open runs have to be handled by another one.
  func didStop(_ key: JournalKey, at now: Int64) {
    let wake = content.withLock { content in
      content.failed.append(key)
      return content.ring(at: WallTime.after(.seconds(1), now))
    }
    wake?()
  }

  private func partition(of key: JournalKey) -> Int {
    JournalPartition(of: key.stores ?? "", holding: key.name, among: partitions.count).number
  }

  /// The place in a list of due keys behind those of earlier times.
  private func due(before time: Int64) -> JournalDue {
    JournalDue(JournalKey("", of: partitions[0].stores), wake: max(time, 1))
  }

  // MARK: Passes

  /// Opens due keys until the task is cancelled.
  func run<Key, I>(_ stores: StoresCore<Key, I>) async {
    var pause = Duration.seconds(1)
    while !Task.isCancelled {
      let now = stores.parts.configuration.wallTime()
      let again = content.withLock { content in
        defer { (content.failed, content.alarm) = ([], .max) }
        return content.failed
      }
      var failed = await stores.wake(again)
      for index in partitions.indices { failed += await pass(index, before: now + 1, stores) }
      let isFirst = failed.isEmpty
      let alarm = isFirst ? Int64.max : WallTime.after(pause, stores.parts.configuration.wallTime())
      pause = isFirst ? .seconds(1) : min(pause * 2, .seconds(60))
      content.withLock { [failed] content in
        content.failed += failed
        content.alarm = min(content.alarm, alarm)
      }
      await sleep(stores)
    }
  }

  /// Opens the keys of a partition that are due, notes when the next one is, and returns those that could not be opened.
  private func pass<Key, I>(_ index: Int, before time: Int64, _ stores: StoresCore<Key, I>) async -> [JournalKey] {
    var failed: [JournalKey] = []
    do {
      while !Task.isCancelled {
        let last = content.withLock { $0.opened[index] }
        let page = try await stores.source.due(in: partitions[index], before: time, after: last, upTo: 1_000)
        failed += await stores.wake(page.map(\.key))
        // Keys that have to be open all the time were opened by the first pass.
        let end = page.last ?? (last == nil ? due(before: 1) : nil)
        content.withLock { content in
          if let end, content.opened[index] == last { content.opened[index] = end.wake == 0 ? due(before: 1) : end }
        }
        if page.isEmpty { break }
      }
      let last = content.withLock { $0.opened[index] }
      let next = try await stores.source.due(in: partitions[index], before: .max, after: last, upTo: 1).first
      if let next { content.withLock { $0.alarm = min($0.alarm, next.wake) } }
    } catch {
      stores.reportWake("The due keys of \(partitions[index]) were not read, and are read again soon: \(error)", error)
      content.withLock { $0.alarm = min($0.alarm, WallTime.after(.seconds(60), time)) }
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
  /// Sets an alarm, and returns the call that ends a sleep beyond it.
  fileprivate mutating func ring(at time: Int64) -> (@Sendable () -> Void)? {
    guard time < alarm else { return nil }
    alarm = time
    return wake
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
      reportWake("The key \(key.quoted) has to be open, and was not opened. \(error)", error)
      let code = ((error as? StoreError)?.underlying as? JournalError)?.code
      return code == .conflict || code == .lost || code == .noKey || code == .feedback
    }
  }

  func reportWake(_ text: String, _ error: any Error) {
    parts.configuration.report(Incident(.failedWake, of: I.Action.self, error: error, text))
  }
}
