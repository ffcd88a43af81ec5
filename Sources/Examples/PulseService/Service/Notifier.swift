import Foundation
import Millrace
import MillraceJournal

/// Sends the notices that the state owes to the store, which posts them, until they have arrived or are not true any more.
final class Notifier: Sendable {
  let store: Store<PulseMonitor>
  let clock: any Clock<Duration>
  /// The wall-clock time.
  let now: @Sendable () -> Date
  private let stopwatch: Stopwatch
  /// The times, counted by the stopwatch, until which webhooks have asked to be left alone.
  private let pauses = Lock<[Webhook: Duration]>([:])

  init(store: Store<PulseMonitor>, clock: any Clock<Duration>, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.clock = clock
    self.now = now
    stopwatch = Stopwatch(clock)
  }

  /// Posts each notice while it is owed, until the store is shut down or the task is cancelled.
  ///
  /// The state says what is owed, so that no notice is missed whatever an observer skips, and whenever the process before this one has
  /// ended. Notices under way are left to the store then.
  func run() async {
    var posting: [OwedNotice: Task<Void, Never>] = [:]
    for await owed in store.values(of: \.owedNotices) {
      let wanted = Set(owed)
      for (notice, task) in posting where !wanted.contains(notice) {
        task.cancel()
        posting[notice] = nil
      }
      for notice in owed where posting[notice] == nil {
        posting[notice] = Task { await deliver(notice) }
      }
    }
    for task in posting.values { task.cancel() }
  }

  /// Sends one more attempt at each notice that is owed, except to webhooks that have asked to be left alone.
  func postLast() async {
    for notice in await store.state.owedNotices where pause(of: notice.webhook) == nil { _ = await post(notice) }
  }

  /// Posts a notice until it is not owed any more, until the store ends, or until the task is cancelled.
  private func deliver(_ notice: OwedNotice) async {
    var attempts = 0
    while !Task.isCancelled {
      if let pause = pause(of: notice.webhook) {
        guard (try? await stopwatch.sleep(until: pause)) != nil else { return }
        continue
      }
      attempts += 1
      guard let rest = rest(after: attempts, await post(notice)?.outcome, from: notice.webhook),
        (try? await clock.sleep(for: rest)) != nil
      else { return }
    }
  }

  /// Sends one attempt at a notice, with the key and the time of the first one; nil when it is not owed any more.
  private func post(_ notice: OwedNotice) async -> Receipt? {
    guard let alert = await store.state.owing(notice.change, to: notice.webhook) else { return nil }
    let first = alert.firstAttempt ?? .init(idempotencyKey: UUID().uuidString, time: now())
    return store.send(
      .notify(
        notice.webhook, Notice(change: notice.change, time: first.time), idempotencyKey: first.idempotencyKey))
  }

  /// The time to wait after an attempt; nil when no other one is to follow.
  private func rest(after attempts: Int, _ outcome: Outcome?, from webhook: Webhook) -> Duration? {
    switch outcome {
    case nil, .finished, .shutDown, .rejected(.shuttingDown), .rejected(.journal), .failed(is JournalError): return nil
    case .failed(let failure as GatewayFailure):
      if let asked = failure.retryAfter {
        let end = stopwatch.elapsed + min(asked, PulseMonitor.longestPause)
        pauses.withLock { $0[webhook] = max($0[webhook] ?? .zero, end) }
      }
      return PulseMonitor.noticeBackoff.delay(after: failure.isLasting ? .max : attempts)
    case .failed, .timedOut, .cancelled, .superseded, .rejected, .abandoned, .leftOpen:
      return PulseMonitor.noticeBackoff.delay(after: attempts)
    }
  }

  /// The time until which a webhook has asked to be left alone; nil when that is over.
  private func pause(of webhook: Webhook) -> Duration? {
    let elapsed = stopwatch.elapsed
    return pauses.withLock { pauses in
      guard let end = pauses[webhook] else { return nil }
      if end > elapsed { return end }
      pauses[webhook] = nil
      return nil
    }
  }
}
