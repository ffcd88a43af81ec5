import Millrace
import MillraceJournal

/// A store that the inspector shows, without the type of its interactor.
struct ShownStore: Sendable {
  /// The most open runs of a store that are looked at, which are those that were accepted first.
  static let mostRuns = 10_000

  let name: String
  let metrics: @Sendable () async -> Metrics
  /// Returns at most this number of open runs, the stuck ones first, then the oldest.
  let openRuns: @Sendable (Int) async -> [ShownRun]
  /// Whether the process has its part of the keys; true for a store alone.
  let isMember: @Sendable () -> Bool
  /// The losses of records that the journal has noticed.
  let losses: @Sendable () -> JournalLosses
  /// Metrics beside those of a store, whose names begin with a prefix.
  let series: @Sendable (String) -> [Metrics.Series]

  init<I: Interactor>(_ store: Store<I>, name: String) {
    self.init(
      name: name, metrics: { await store.metrics },
      openRuns: { limit in
        await store.openRuns(limit: Self.mostRuns).map { ShownRun($0, of: name) }.mostUrgent(limit)
      })
  }

  init<Key, I: Interactor>(_ stores: Stores<Key, I>, name: String) {
    self.init(
      name: name, metrics: { await stores.metrics },
      openRuns: { limit in
        await stores.openRuns(limit: Self.mostRuns).map { ShownRun($0.run, of: name, key: $0.key.description) }
          .mostUrgent(limit)
      }, isMember: { stores.summary.isMember }, losses: { stores.summary.losses },
      series: { prefix in stores.summary.series(of: name, prefix: prefix) })
  }

  init(
    name: String, metrics: @escaping @Sendable () async -> Metrics,
    openRuns: @escaping @Sendable (Int) async -> [ShownRun], isMember: @escaping @Sendable () -> Bool = { true },
    losses: @escaping @Sendable () -> JournalLosses = { JournalLosses() },
    series: @escaping @Sendable (String) -> [Metrics.Series] = { _ in [] }
  ) {
    self.name = name
    self.metrics = metrics
    self.openRuns = openRuns
    self.isMember = isMember
    self.losses = losses
    self.series = series
  }

  /// The check of `/readyz`: the store takes actions, and its journal stores them.
  var readiness: HealthCheck {
    HealthCheck(name: "store-" + name) {
      let metrics = await metrics()
      try Self.checkReadiness(isShuttingDown: metrics.isShuttingDown, metrics.journal)
      guard isMember() else {
        throw HealthFailure(description: "its lease has ended, so other processes take its keys")
      }
      // The records are gone, and the process does its work with those that are there.
      let lost = losses().newest.keys.sorted()
      return lost.isEmpty ? nil : "records of partitions \(lost.map(String.init).joined(separator: ", ")) were lost"
    }
  }

  static func checkReadiness(isShuttingDown: Bool, _ journal: Metrics.Journal?) throws(HealthFailure) {
    if journal?.state == .failed { throw HealthFailure(description: "its journal has failed") }
    if isShuttingDown { throw HealthFailure(description: "it is shut down") }
    guard let journal else { return }
    if journal.state == .unavailable { throw HealthFailure(description: "its journal is unavailable") }
    // A store rejects actions while half of its buffer is full. Keys that hibernate have no buffer, and a limit of 0 is not one that is reached.
    if journal.bufferedBytes > 0, journal.bufferedBytes >= journal.bufferLimit / 2 {
      throw HealthFailure(description: "\(journal.bufferedBytes) of \(journal.bufferLimit) bytes wait for its journal")
    }
  }
}

extension StoresSummary {
  /// The counts of the keys of stores with this name.
  fileprivate func series(of name: String, prefix: String) -> [Metrics.Series] {
    let labels = ["store": name]
    let gauges: [(String, Int, String)] = [
      ("keys_live", live, "Keys in memory."), ("keys_pinned", pinned, "Keys in memory that are in use."),
      ("keys_opening", opening, "Keys that are being opened."),
      ("keys_hibernating", hibernating, "Keys that store what is to be stored before they hibernate."),
      ("keys_waiting", waiting, "Keys that wait for their opening."),
      ("members", members, "Processes that share the partitions, as this one has seen them last."),
      ("partitions", partitions, "Partitions of the keys, of all processes."),
      ("partitions_owned", ownedPartitions, "Partitions that this process owns."),
    ]
    let counters: [(String, Int, String)] = [
      ("keys_opened", opened, "Openings of keys."), ("keys_failed", failed, "Openings of keys that failed."),
      ("keys_hibernated", hibernated, "Hibernations of keys."),
      ("keys_refused", refused, "Uses of keys that were rejected because too many keys waited."),
      ("lost_partitions", losses.count, "Partitions of which the journal has lost records, once for each loss."),
    ]
    return gauges.map { .gauge(prefix + $0.0, Double($0.1), labels: labels, help: $0.2) }
      + counters.map { .counter(prefix + $0.0, Double($0.1), labels: labels, help: $0.2) }
  }
}
