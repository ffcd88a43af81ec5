import Foundation
import Millrace
import MillraceJournal

/// Sends the notices that the state owes to the store, which posts them, until they have arrived or are not true any more.
struct Notifier: Sendable {
  let reader: StateReader<PulseState>
  let send: @Sendable (PulseMonitor.Action) -> Receipt
  let pauses: WebhookPauses
  let clock: any Clock<Duration>
  /// The wall-clock time.
  let now: @Sendable () -> Date

  /// Creates the notifier of a store.
  init(store: Store<PulseMonitor>, clock: any Clock<Duration>, now: @escaping @Sendable () -> Date) {
    reader = store.reader
    send = { store.send($0) }
    (pauses, self.clock, self.now) = (WebhookPauses(clock), clock, now)
  }

  /// Creates the notifier of one of many stores, whose webhooks have asked all of them for pauses.
  init(
    _ access: StoreAccess<PulseState, PulseMonitor.Action>, _ pauses: WebhookPauses, now: @escaping @Sendable () -> Date
  ) {
    reader = access.reader
    send = { access.send($0) }
    (self.pauses, clock, self.now) = (pauses, access.clock, now)
  }

  /// Posts each notice while it is owed, until the store is shut down or the task is cancelled.
  ///
  /// The state says what is owed, so that no notice is missed whatever an observer skips, and whenever the process before this one has
  /// ended. Notices under way are left to the store then.
  func run() async {
    var posting: [OwedNotice: Task<Void, Never>] = [:]
    for await owed in reader.values(of: \.owedNotices) {
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
    for notice in await reader.state.owedNotices where pauses.end(of: notice.webhook) == nil { _ = await post(notice) }
  }

  /// Posts a notice until it is not owed any more, until the store ends, or until the task is cancelled.
  func deliver(_ notice: OwedNotice) async {
    var attempts = 0
    while !Task.isCancelled {
      if let end = pauses.end(of: notice.webhook) {
        guard (try? await pauses.sleep(until: end)) != nil else { return }
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
    guard let alert = await reader.state.owing(notice.change, to: notice.webhook) else { return nil }
    let first = alert.firstAttempt ?? .init(idempotencyKey: UUID().uuidString, time: now())
    return send(
      .notify(
        notice.webhook, Notice(change: notice.change, time: first.time), idempotencyKey: first.idempotencyKey))
  }

  /// The time to wait after an attempt; nil when no other one is to follow.
  private func rest(after attempts: Int, _ outcome: Outcome?, from webhook: Webhook) -> Duration? {
    switch outcome {
    case nil, .finished, .shutDown, .rejected(.shuttingDown), .rejected(.journal), .failed(is JournalError): return nil
    case .failed(let failure as GatewayFailure):
      if let asked = failure.retryAfter { pauses.add(asked, of: webhook) }
      return PulseMonitor.noticeBackoff.delay(after: failure.isLasting ? .max : attempts)
    case .failed, .timedOut, .cancelled, .superseded, .rejected, .abandoned, .leftOpen:
      return PulseMonitor.noticeBackoff.delay(after: attempts)
    }
  }
}

/// The times until which webhooks have asked to be left alone.
final class WebhookPauses: Sendable {
  private let stopwatch: Stopwatch
  /// The ends, counted by the stopwatch.
  private let ends = Lock<[Webhook: Duration]>([:])

  init(_ clock: any Clock<Duration>) {
    stopwatch = Stopwatch(clock)
  }

  /// Notes that a webhook has asked for a pause, which begins now.
  func add(_ asked: Duration, of webhook: Webhook) {
    let end = stopwatch.elapsed + min(asked, PulseMonitor.longestPause)
    ends.withLock { $0[webhook] = max($0[webhook] ?? .zero, end) }
  }

  /// The time until which a webhook has asked to be left alone; nil when that is over.
  func end(of webhook: Webhook) -> Duration? {
    let elapsed = stopwatch.elapsed
    return ends.withLock { ends in
      guard let end = ends[webhook] else { return nil }
      if end > elapsed { return end }
      ends[webhook] = nil
      return nil
    }
  }

  /// - Throws: `CancellationError`.
  func sleep(until end: Duration) async throws { try await stopwatch.sleep(until: end) }
}
