import Synchronization

extension Feedback {
  /// Sends an action for each timer of the state that is due.
  ///
  /// ```swift
  /// Feedback.timers(of: \.reminders) { id in .remind(id) }
  /// ```
  ///
  /// **Order.** Actions are sent in the order of ``Timers``, each once when its time has come, never before it. The reducer removes the id,
  /// or sets it anew. While it does neither, the action is sent again after 1 s, 2 s and so on, up to each minute: it may have been
  /// rejected, or its handler may have failed. So give an action that is handled the plan ``Plan/exclusive(max:key:)`` with the id.
  ///
  /// **Time.** The times are those of ``StoreConfiguration/wallTime``. A sleep on the store's clock takes at most a minute before the wall
  /// time is read again: after that was set back no action comes early, and after it was set forward one comes at most a minute late.
  /// Times that were over when the store began are due at once.
  ///
  /// **Cost.** One task of the store sleeps until the earliest time, and none without a timer. A commit that leaves the earliest time as it
  /// is wakes no task, unless an id is due and was not removed.
  ///
  /// - Parameters:
  ///   - timers: quick and free of effects; a key path will do. It is called with the store's lock.
  ///   - action: the action for an id that is due.
  public static func timers<ID>(
    of timers: @escaping @Sendable (State) -> Timers<ID>, _ action: @escaping @Sendable (ID) -> Action
  ) -> Feedback {
    Feedback {
      FeedbackWork(wake: { timers($0).earliest.map { max($0, 1) } }) { access, _ in
        await send(timers, action, access, on: access.clock)
      }
    }
  }

  /// Sends the actions of timers that are due, as long as the store lives.
  private static func send<ID>(
    _ timers: @escaping @Sendable (State) -> Timers<ID>, _ action: @escaping @Sendable (ID) -> Action,
    _ access: StoreAccess<State, Action>, on clock: some Clock<Duration>
  ) async {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = TimerWatch<ID>()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await _ in access.reader.values(of: { watch.change(of: timers($0)) }) { signal.yield() }
        signal.finish()
      }
      var sent = SentTimers<ID>()
      var alarm = Alarm(signal: signal)
      for await _ in signals {
        let now = WallTime.bounded(access.wallTime())
        alarm.cancel()
        if let next = await sent.sendDue(timers, action, watch, access, at: now) {
          // Before the wall time, so that a clock that moves between the two wakes early, and not late.
          let begin = clock.now
          // A wall time that was set back since the look would make the sleep up to a minute long.
          let rest = WallTime.rest(until: next, max(now, access.wallTime()))
          alarm.set(at: begin.advanced(by: rest), on: clock)
        }
      }
      alarm.cancel()
    }
  }
}

/// The part of the timers whose change wakes the task of a store's timers.
private final class TimerWatch<ID: Hashable & Codable & Sendable>: Sendable {
  /// Whether each change counts, because the earliest time is that of an action that was sent.
  private let countsAll = Atomic(false)

  struct Change: Sendable, Equatable {
    let earliest: Int64?
    let version: Int
  }

  func change(of timers: Timers<ID>) -> Change {
    Change(earliest: timers.earliest, version: countsAll.load(ordering: .relaxed) ? timers.version : 0)
  }

  /// Sets whether each change counts; returns whether that was otherwise before.
  func setsCountsAll(_ value: Bool) -> Bool { countsAll.exchange(value, ordering: .relaxed) != value }
}

/// The sleep until a wall time, or for a minute before that time is read again.
private struct Alarm {
  let signal: AsyncStream<Void>.Continuation
  private var sleep: Task<Void, Never>?

  init(signal: AsyncStream<Void>.Continuation) {
    self.signal = signal
  }

  mutating func set<C: Clock<Duration>>(at end: C.Instant, on clock: C) {
    sleep = Task { [signal] in
      if (try? await clock.sleep(until: end, tolerance: nil)) != nil { signal.yield() }
    }
  }

  mutating func cancel() {
    sleep?.cancel()
    sleep = nil
  }
}

/// The timers whose actions were sent, and that are still due.
private struct SentTimers<ID: Hashable & Codable & Sendable> {
  private struct Sent {
    let time: Int64
    /// The wall time of the last action.
    var last: Int64
    /// The milliseconds from that to the next one.
    let delay: Int64
  }

  private var sent: [ID: Sent] = [:]

  private static var firstDelay: Int64 { 1_000 }
  private static var longestDelay: Int64 { 60_000 }

  /// Sends the actions that are due, and returns the wall time at which to look again; nil without a timer.
  mutating func sendDue<State, Action>(
    _ timers: @escaping @Sendable (State) -> Timers<ID>, _ action: (ID) -> Action, _ watch: TimerWatch<ID>,
    _ access: StoreAccess<State, Action>, at now: Int64
  ) async -> Int64? {
    guard var look = await look(timers, at: now, access) else { return nil }
    if !look.due.isEmpty, watch.setsCountsAll(true) {
      // The first look may have missed a change behind the earliest time.
      guard let again = await self.look(timers, at: now, access) else { return nil }
      look = again
    }
    var stillDue: [ID: Sent] = [:]
    for timer in look.due {
      let (entry, isDue) = next(timer, at: now)
      if isDue { access.send(action(timer.id)) }
      stillDue[timer.id] = entry
      look.next = min(look.next ?? .max, entry.last + entry.delay)
    }
    sent = stillDue
    if sent.isEmpty { _ = watch.setsCountsAll(false) }
    return look.next
  }

  private func look<State, Action>(
    _ timers: @escaping @Sendable (State) -> Timers<ID>, at now: Int64, _ access: StoreAccess<State, Action>
  ) async -> Timers<ID>.Look? {
    var looks = access.reader.values(of: { timers($0).look(by: now) }).makeAsyncIterator()
    return await looks.next()
  }

  /// The entry of a timer that is due, and whether its action is to be sent now.
  private func next(_ timer: Timers<ID>.Timer, at now: Int64) -> (Sent, isDue: Bool) {
    guard var earlier = sent[timer.id], earlier.time == timer.at else {
      return (Sent(time: timer.at, last: now, delay: Self.firstDelay), true)
    }
    // After the wall time was set back, the delay begins anew.
    earlier.last = min(earlier.last, now)
    if now - earlier.last < earlier.delay { return (earlier, false) }
    return (Sent(time: timer.at, last: now, delay: min(2 * earlier.delay, Self.longestDelay)), true)
  }
}
