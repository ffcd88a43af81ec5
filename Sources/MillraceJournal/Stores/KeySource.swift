import Millrace

/// The place from which the stores of keys come, and to which they go when the keys hibernate.
protocol KeySource<I>: Sendable {
  associatedtype I: Interactor

  /// The gate of a store that is to be opened; nil without a journal.
  func makeGate() -> DurabilityGate?

  /// Opens a store that is not open.
  ///
  /// - Parameter didStop: Called once if the journal fails for the store later.
  /// - Throws: ``JournalError``, after which the store stays as it is.
  func open(
    _ store: Store<I>, of key: JournalKey, _ interceptors: [any Interceptor<I>],
    _ feedbacks: KeyFeedbacks<I.State, I.Action>, didStop: @escaping @Sendable (JournalError) -> Void
  ) async throws(JournalError) -> OpenedKey<I.State>

  /// Whether the key may leave the memory with this state.
  func mayHibernate(_ state: I.State, of key: JournalKey) -> Bool

  /// Removes everything that is stored of a key, which is not in memory.
  func erase(_ key: JournalKey) async throws(JournalError)

  /// The stored keys behind one in the order of their UTF-8, a page of them; nil if keys are not stored.
  func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey]?

  /// Keys of a partition whose wake times have come, as `PartitionedJournal.due` returns them.
  func due(
    in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
  ) async throws(JournalError) -> [JournalDue]

  /// The partitions of the stores; nil without a journal.
  var partitions: OwnedPartitions? { get }

  /// The losses that the journal has noticed.
  var losses: JournalLosses { get }

  /// The line of the runs that are handled again one at a time, which gives no turn before it is opened; nil without a journal.
  var recoveryLine: RecoveryLine? { get }
}

/// The parts of an opening that the key keeps.
struct OpenedKey<State: Sendable>: Sendable {
  /// The revision of the restored state.
  let revision: Int

  /// Stores what is to be stored before the key hibernates.
  let close: @Sendable (Snapshot<State>) async -> Void

  /// Stops the store with an error of the journal that concerns all keys.
  let fail: @Sendable (JournalError) -> Void
}

/// The logs of keys in a journal, of those partitions that this process owns.
struct JournaledKeys<I: Interactor>: KeySource where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  let journal: any PartitionedJournal
  let owned: OwnedPartitions
  let epoch: JournalEpoch
  let configuration: StoreConfiguration
  let schema: StoreSchema<I>
  let options: JournalOptions
  /// One for all keys, because it has a task as long as a call may be out.
  let limits: CallLimits
  /// One for all keys, so that the run that ends the process is counted alone.
  let line: RecoveryLine

  func makeGate() -> DurabilityGate? { DurabilityGate() }

  func open(
    _ store: Store<I>, of key: JournalKey, _ interceptors: [any Interceptor<I>],
    _ feedbacks: KeyFeedbacks<I.State, I.Action>, didStop: @escaping @Sendable (JournalError) -> Void
  ) async throws(JournalError) -> OpenedKey<I.State> {
    let claim = try claim(of: key)
    do throws(JournalError) {
      return try await open(store, of: key, claim, interceptors, feedbacks) { [owned] failure in
        if failure.isLoss { owned.didLose(claim) }
        didStop(failure)
      }
    } catch {
      if error.isLoss { owned.didLose(claim) }
      throw error
    }
  }

  private func open(
    _ store: Store<I>, of key: JournalKey, _ claim: JournalClaim, _ interceptors: [any Interceptor<I>],
    _ feedbacks: KeyFeedbacks<I.State, I.Action>, didStop: @escaping @Sendable (JournalError) -> Void
  ) async throws(JournalError) -> OpenedKey<I.State> {
    var random = configuration.random
    let journal = ClaimedJournal(base: journal, claim: claim)
    let log = StoreLog<I>(journal: journal, key: key, schema: schema, options: options)
    var opening = LogOpening(
      store.initialState, log, calls(key, at: journal), writer: random.next(), wallTime: configuration.wallTime,
      report: configuration.report, need: { feedbacks.wake($0) })
    try await opening.read(for: epoch)
    try await opening.abandonRuns(store.interactor)
    let (restored, runs) = (opening.restored, opening.runs)
    let writer = JournalWriter(
      opening, epoch: epoch, gate: store.durabilityGate ?? DurabilityGate(),
      wake: try await wake(of: key, by: feedbacks, opening), didFail: didStop)
    store.open(at: restored.state, revision: restored.revision, journal: writer, interceptors: interceptors)
    store.setWake(of: feedbacks)
    writer.attach(to: store.journaled)
    if !runs.isEmpty {
      store.handleAgain(opening.restoredActions(at: configuration.wallTime()), in: line) {
        writer.name(runs[$0].run.sequence, $1)
      }
    }
    store.begin(feedbacks)
    return OpenedKey(
      revision: restored.revision, close: { await writer.close(at: $0) }, fail: { writer.fail($0) })
  }

  /// The wake time of a key whose state asks for it; nil without feedbacks.
  private func wake(
    of key: JournalKey, by feedbacks: KeyFeedbacks<I.State, I.Action>, _ opening: LogOpening<I>
  ) async throws(JournalError) -> KeyWake? {
    guard feedbacks.hasWork else { return nil }
    let asked = feedbacks.wake(opening.restored.state)
    // An earlier version of the program may have stored another time for this state.
    if let wake = opening.wake { return KeyWake(asked: asked, stored: wake.time(after: nil)) }
    let stored = try await calls(key).read { [journal] _, key throws(JournalError) in try await journal.wake(of: key) }
    return KeyWake(asked: asked, stored: stored)
  }

  func mayHibernate(_ state: I.State, of key: JournalKey) -> Bool { true }

  func erase(_ key: JournalKey) async throws(JournalError) {
    let claim = try claim(of: key)
    try await calls(key).read { [journal] _, key throws(JournalError) in
      try await journal.erase(key, claim: claim)
    }
  }

  func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey]? {
    try await calls(JournalKey(stores)).read { [journal] _, _ throws(JournalError) in
      try await journal.keys(of: stores, prefix: prefix, after: name)
    }
  }

  var partitions: OwnedPartitions? { owned }
  var recoveryLine: RecoveryLine? { line }

  var losses: JournalLosses { journal.losses(of: owned.stores) }

  func due(
    in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
  ) async throws(JournalError) -> [JournalDue] {
    try await calls(JournalKey(partition.stores)).read { [journal] _, _ throws(JournalError) in
      try await journal.due(in: partition, before: time, after: due, upTo: count)
    }
  }

  private func claim(of key: JournalKey) throws(JournalError) -> JournalClaim {
    guard let claim = owned.claim(of: owned.number(of: key)) else { throw .notOwned(key) }
    return claim
  }

  private func calls(_ key: JournalKey, at journal: (any Journal)? = nil) -> JournalCalls {
    JournalCalls(
      journal: journal ?? self.journal, key: key, deadline: options.deadline, clock: configuration.clock,
      limits: limits)
  }
}

/// Keys without a journal, which may leave the memory only in their initial states.
struct UnstoredKeys<Key: LosslessStringConvertible, I: Interactor>: KeySource where I.State: Equatable {
  let initial: @Sendable (Key) -> I.State

  func makeGate() -> DurabilityGate? { nil }

  func open(
    _ store: Store<I>, of key: JournalKey, _ interceptors: [any Interceptor<I>],
    _ feedbacks: KeyFeedbacks<I.State, I.Action>, didStop: @escaping @Sendable (JournalError) -> Void
  ) async throws(JournalError) -> OpenedKey<I.State> {
    store.open(interceptors: interceptors)
    store.setWake(of: feedbacks)
    store.begin(feedbacks)
    return OpenedKey(revision: 0, close: { _ in }, fail: { _ in })
  }

  func mayHibernate(_ state: I.State, of key: JournalKey) -> Bool { Key(key.name).map(initial) == state }

  func erase(_ key: JournalKey) async throws(JournalError) {}

  func keys(of stores: String, prefix: String, after name: String?) async throws(JournalError) -> [JournalKey]? { nil }

  var partitions: OwnedPartitions? { nil }
  var recoveryLine: RecoveryLine? { nil }

  var losses: JournalLosses { JournalLosses() }

  func due(
    in partition: JournalPartition, before time: Int64, after due: JournalDue?, upTo count: Int
  ) async throws(JournalError) -> [JournalDue] { [] }
}

/// One generator for the stores of all keys, so that no two of them draw the same numbers.
final class SharedRandom: RandomNumberGenerator, Sendable {
  private let generator: Lock<any RandomNumberGenerator & Sendable>

  init(_ generator: any RandomNumberGenerator & Sendable) {
    self.generator = Lock(generator)
  }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}
