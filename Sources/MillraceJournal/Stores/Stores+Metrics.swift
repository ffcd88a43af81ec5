public import Millrace

extension Stores {
  /// The metrics of all keys as those of one store: the sums since the stores were opened, and what the keys in memory do now.
  ///
  /// A key that hibernates leaves its counts behind, so counts only grow. Of two states of the journal the worse one is shown; it has failed when
  /// another process has claimed the keys. The log since its newest snapshot is the longest one of the keys in memory.
  ///
  /// **Cost.** Each key in memory is read between two of its steps. Cancellation has no effect.
  public var metrics: Metrics {
    get async {
      var (sum, members, isShuttingDown, hasFailed) = core.registry.withLock {
        ($0.ended, $0.counted.map { ($0.store, $0.opening?.revision) }, $0.ending != nil, $0.failure != nil)
      }
      for (store, revision) in members {
        let metrics = await store.metrics
        sum.add(metrics, since: revision ?? metrics.commits)
      }
      sum.note(isShuttingDown: isShuttingDown, hasFailed: hasFailed)
      return sum.metrics
    }
  }

  /// The keys in memory with the most actions that wait for a slot, their turn or their plan's time; those with the most first, and none without any.
  ///
  /// **Cost.** Each key in memory is read between two of its steps. Cancellation has no effect.
  ///
  /// - Parameter limit: The largest number of keys; below 0 it is taken as 0.
  public func busiestKeys(limit: Int = 10) async -> [(key: Key, waiting: Int)] {
    var found: [(key: JournalKey, waiting: Int)] = []
    for member in core.registry.withLock({ $0.counted }) {
      let waiting = await member.store.metrics.waiting
      if waiting > 0 { found.append((member.key, waiting)) }
    }
    return found.sorted { ($1.waiting, $0.key) < ($0.waiting, $1.key) }.prefix(max(limit, 0))
      .compactMap { key, waiting in Key(key.name).map { ($0, waiting) } }
  }

  /// The open runs of the keys in memory, each as `Store.openRuns(limit:after:)` has it.
  ///
  /// The runs of a key that hibernates rest in the journal, and are not listed: `millrace journal runs` lists them.
  ///
  /// **Order.** The keys in the order of the UTF-8 of their descriptions, and of each the runs in the order of their ids.
  /// **Cost.** Each key in memory is read between two of its steps. Cancellation has no effect.
  ///
  /// - Parameter limit: The largest number of runs that are returned; below 0 it is taken as 0.
  public func openRuns(limit: Int = 1_000) async -> [(key: Key, run: OpenRun<I.Action>)] {
    let members = core.registry.withLock { $0.counted }.sorted { $0.key < $1.key }
    var runs: [(key: Key, run: OpenRun<I.Action>)] = []
    for member in members {
      guard runs.count < limit else { break }
      guard let key = Key(member.key.name) else { continue }
      runs += await member.store.openRuns(limit: limit - runs.count).map { (key, $0) }
    }
    return runs
  }
}
