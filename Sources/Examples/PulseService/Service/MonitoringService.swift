import Foundation
import Millrace
import MillraceFlags
import MillraceJournal
import MillraceRecording
import MillraceTerminal

/// The service: a store, a schedule that sends it actions, a notifier, and a reporter that writes its states.
struct MonitoringService: Sendable {
  /// The subjects to watch, the webhooks to notify, and the time for which to run.
  struct Plan: Sendable, Equatable {
    var endpoints: [Endpoint] = []
    var rules: [AlertRule] = []
    /// The files that are read again; nil where there are none.
    var files: ConfigurationFiles?
    /// The webhooks that get alerts.
    var webhooks: [Webhook] = []
    /// The time between two rounds.
    var interval: Duration = .seconds(1)
    /// The time for which to run; nil runs until the stop is requested.
    var duration: Duration?
    /// Whether to end after one round.
    var isOnce = false

    /// The state of a service without a journal before its first action.
    var initialState: PulseState { PulseState(endpoints: endpoints, rules: rules, webhooks: webhooks) }

    var configuration: Configuration { Configuration(endpoints: endpoints, rules: rules, webhooks: webhooks) }
  }

  let plan: Plan
  let store: Store<PulseMonitor>
  let monitor: PulseMonitor
  let reporter: Reporter
  let complaints: Complaints
  let stop: StopRequest
  /// The recorder of all events, or nil.
  let recorder: PulseRecorder?
  let clock: any Clock<Duration>
  /// Called first when the service stops.
  let willStop: @Sendable () async -> Void

  /// The interval at which the recording's file is checked.
  private static let fileInterval: Duration = .milliseconds(500)

  /// The longest time for which pending notices can delay the end.
  static let drain: Duration = .seconds(5)

  /// - Parameter store: A store of `monitor`, which has the recorder as its interceptor, and is started if it has a journal.
  init(
    _ plan: Plan, store: Store<PulseMonitor>, monitor: PulseMonitor, reporter: Reporter, complaints: any TextOutput,
    stop: StopRequest, clock: any Clock<Duration>, recorder: PulseRecorder? = nil,
    willStop: @escaping @Sendable () async -> Void = {}
  ) {
    self.plan = plan
    self.store = store
    self.monitor = monitor
    self.reporter = reporter
    self.stop = stop
    self.recorder = recorder
    self.clock = clock
    self.willStop = willStop
    self.complaints = Complaints(output: complaints, clock: clock)
  }

  /// Runs until the work is done, the time is up, the stop is requested or the output is closed; then ends in order.
  ///
  /// Probes under way are cancelled and closed, so that the last state, which is always written, shows none of them.
  /// Notices under way have a few seconds to arrive.
  ///
  /// - Throws: ``OutputError``, when the output is closed or broken; `JournalError`, when the journal has failed.
  func run() async throws {
    let reporting = Task {
      defer { stop.request() }
      try await reporter.report(store.reader)
    }
    let working = Task {
      defer { stop.request() }
      try await work()
    }
    let notifier = Notifier(store: store, clock: clock, now: { Date() })
    let notifying = Task { await notifier.run() }
    let watching = recorder.map { recorder in Task { try await watchFile(of: recorder) } }
    await stop.wait(atMost: plan.duration, on: clock)
    await willStop()
    watching?.cancel()
    await endWork(working)
    notifying.cancel()
    // What is owed is on its way before the store takes no more.
    await notifier.postLast()
    await store.shutdown(drainFor: Self.drain)
    await notifying.value
    await recorder?.finish(with: store.snapshot)
    // A store that its journal has stopped names the reason to whatever it is sent.
    let failure = await store.send(.sample).outcome.journalFailure
    if failure == nil, let sentence = await lossSentence() { await complaints.say(sentence) }
    try await reporting.lastStateWritten(on: clock)
    if let failure { throw failure }
  }

  /// Reads the files of the configuration again; what is wrong with one is said on standard error, if anything is said at all.
  func reload(complains: Bool = true, done: @escaping @Sendable () -> Void = {}) {
    let receipt = store.send(.readRules)
    Task {
      let sentence = monitor.rulesFailure(await receipt.outcome)
      done()
      if complains, let sentence { await complaints.say(sentence) }
    }
  }

  /// Shows the failures of the recording as they come, for as long as the task is not cancelled.
  func show(_ failures: AsyncStream<RecordingError>) async {
    for await failure in failures { store.send(.showRecordingFailure(reason: failure.description)) }
  }

  /// Sends actions when they are due; a single round is waited for.
  private func work() async throws {
    var rounds = Rounds(every: plan.interval)
    let stopwatch = Stopwatch(clock)
    while true {
      let due = await rounds.due(of: store.state.endpoints ?? [], at: stopwatch.elapsed)
      let receipts = store.send(
        contentsOf: due.endpoints.map { PulseMonitor.Action.probe($0) } + (due.isRound ? [.sample] : []))
      if plan.isOnce {
        _ = await receipts.outcomes
        return
      }
      try await stopwatch.sleep(until: rounds.next)
    }
  }

  /// Notices within a second that the file of the recording was moved or removed, however seldom anything is recorded.
  private func watchFile(of recorder: PulseRecorder) async throws {
    while true {
      try await clock.sleep(for: Self.fileInterval)
      recorder.checkFile()
    }
  }

  /// Ends the schedule, and all but the notices.
  private func endWork(_ working: Task<Void, any Error>) async {
    working.cancel()
    await cancelObservations()
    _ = await working.result
    // Once more, for the schedule may have sent a last round in between.
    await cancelObservations()
  }

  private func cancelObservations() async {
    let state = await store.state
    // A probe of a target that was removed may be under way still.
    let endpoints = Set((state.endpoints ?? []) + state.targets.map(\.endpoint) + plan.endpoints)
    for key in endpoints.map(PulseMonitor.Key.probe) + [.sample, .rules] { store.cancel(key: key) }
  }

  /// The sentence to say when notices are still owed; nil when none is.
  private func lossSentence() async -> String? {
    let receivers = await store.state.receivers.filter { !$0.owed.isEmpty }
    guard !receivers.isEmpty else { return nil }
    let count = receivers.reduce(0) { $0 + $1.owed.count }
    let reasons = receivers.map { "\($0.webhook.name): \($0.lastFailure ?? "no attempt has ended")" }
    let next = store.durableRevision == nil ? "" : "; the next pulse with this journal posts what is true then"
    return "pulse has ended with \(count == 1 ? "1 notice" : "\(count) notices") not delivered, "
      + "\(reasons.joined(separator: ", "))\(next)."
  }
}
