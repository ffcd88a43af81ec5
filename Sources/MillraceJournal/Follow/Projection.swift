public import Millrace

/// A store that is decided by the commits of many others: totals, an index, a list of what is late.
///
/// ```swift
/// let totals = try await Projection<Totals>.open(
///   initial: .init(), interactor: Totals(), of: ProjectionSource<Order>("orders", in: journal),
///   journal: journal, key: "totals"
/// ) { event in
///   switch event {
///   case .committed(let key, .paid(let amount), _, _): .add(amount, for: key.name)
///   case .committed: nil
///   case .missed(let key, let order, _): .set(order.total, for: key.name)
///   case .erased(let digest): .forget(digest)
///   }
/// }
/// ```
///
/// It follows all keys of a `Stores` in the order of their commits, in any process that can read their journal, and keeps its own state in a log: its
/// mutations and the position of the event are stored in one record. So each event is decided exactly once, also across crashes of either process.
///
/// **Order.** Events of a key come in the order of its revisions, and those of a partition in the order of their commits; a file has one partition.
///
/// **Decisions.** The interactor's `decide` answers each action at once. An action that asks for a handler, or is rejected, ends the projection with a
/// sentence that names the position, and the next opening begins with that event.
///
/// **Removed records.** The stores remove records that a snapshot covers. A projection that has not read them gets the state of the snapshot as
/// ``ProjectionEvent/missed(_:_:revision:)``.
///
/// **Errors.** As for a ``Replica``: the projection outlives every outage of the source's journal and of its own, and ``failure`` is the reason for which it
/// has ended.
///
/// **Lifetime.** It ends when the last reference to it goes, or by ``shutdown()``.
public final class Projection<I: Interactor>: Sendable
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private let progress: ProjectionProgress<I>
  private let follower: Follower
  private let source: any PartitionedJournal
  private let calls: JournalCalls
  private let partitions: [JournalPartition]
  private let wallTime: @Sendable () -> Int64

  /// Restores a projection from its log, and continues with the events behind its positions.
  ///
  /// A new projection begins with the first event that the journal has; ``lag()`` and ``catchUp()`` tell how far it is. Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - initial: The state before the first event.
  ///   - interactor: The interactor, which decides the actions.
  ///   - source: The stores that it follows.
  ///   - journal: The journal with the log of the projection: that of the source, or another one.
  ///   - key: The log of the projection.
  ///   - configuration: The clock, the limits and other parts of its store.
  ///   - schema: The versions of its mutations and its state.
  ///   - options: The coder and the limits of its log.
  ///   - progress: Called on an unspecified thread after each page of records of its own log.
  ///   - action: Called once for each event and again after a crash or a shutdown, in their order, on an unspecified thread: the action that decides the event; nil
  ///     for an event that changes nothing.
  /// - Throws: ``JournalError``, as `Store.open` and ``Journal/changes()``.
  public static func open<Source: Interactor>(
    initial: I.State, interactor: I, of source: ProjectionSource<Source>, journal: any Journal, key: JournalKey,
    configuration: StoreConfiguration = StoreConfiguration(), schema: StoreSchema<I> = StoreSchema(),
    options: JournalOptions = JournalOptions(), progress: (@Sendable (JournalProgress) -> Void)? = nil,
    action: @escaping @Sendable (ProjectionEvent<Source>) -> I.Action?
  ) async throws(JournalError) -> Projection
  where Source.Action: Codable, Source.Mutation: Codable, Source.State: Codable {
    let calls = JournalCalls(
      journal: source.journal, key: JournalKey(source.stores), deadline: source.options.deadline,
      clock: configuration.clock)
    // Before the first reading, so that no change comes between the two.
    let changes = try await calls.read { journal, _ throws(JournalError) in try await journal.changes() }
    let count = try await calls.read { _, _ throws(JournalError) in
      try await source.journal.partitions(of: source.stores)
    }
    let name = "The projection \(key.quoted)"
    let report = Follower.reportsOutages(name, of: I.self, configuration)
    var options = options
    options.didMissDeadline = report
    let store = try await Store.open(
      initial: ProjectedState(state: initial), interactor: ProjectedInteractor(interactor), journal: journal,
      key: key, configuration: configuration, schema: schema.projected(for: ProjectedInteractor<I>.self),
      options: options, progress: progress)
    let reader = ProjectionReader(
      source: source, calls: calls.outlastingOutages(report),
      partitions: (0..<count).map { JournalPartition(of: source.stores, number: $0) },
      progress: await ProjectionProgress(store, count, configuration.clock), makeAction: action)
    return Projection(reader, calls, changes, configuration, name)
  }

  private init<Source: Interactor>(
    _ reader: ProjectionReader<I, Source>, _ calls: JournalCalls, _ changes: AsyncStream<Void>,
    _ configuration: StoreConfiguration, _ name: String
  ) {
    progress = reader.progress
    source = reader.source.journal
    self.calls = calls
    partitions = reader.partitions
    wallTime = configuration.wallTime
    follower = Follower(
      name, of: I.self, configuration,
      didEnd: { [progress] in
        progress.move()
        await progress.store.shutdown()
      }
    ) { () async throws(JournalError) in
      try await reader.readAll()
      for await _ in changes { try await reader.readOn() }
    }
  }

  deinit { follower.cancel() }

  // MARK: Reading

  /// The state, now and over time: `reader.state`, `reader.values(of:)`, `reader.wait(until:timeout:)`.
  public var reader: StateReader<I.State> { progress.store.reader.scope(\.state) }

  /// The positions that are decided in the state, now and over time.
  ///
  /// The position of an event that changes nothing comes with the next event that does, or after a second.
  public var positions: StateReader<ProjectionPositions> { progress.store.reader.scope(\.positions) }

  /// Waits until everything is decided that the stores have durably committed now.
  ///
  /// Cancellation ends the wait with `CancellationError`.
  ///
  /// - Throws: ``JournalError`` if the projection ends before, or the ends of the partitions cannot be read.
  public func catchUp() async throws {
    let found = try await calls.positions(of: partitions, in: source)
    var ends: [JournalPosition] = []
    for partition in partitions {
      let (position, end) = (progress.position(in: partition.number), found[partition.number] ?? .start)
      ends.append(position == end ? end : try await rest(of: partition, after: position).last)
    }
    try await follower.waiting { try await progress.wait(for: ends) }
  }

  /// Reads the part of the source that is not decided yet.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError`` if the ends of the partitions cannot be read.
  public func lag() async throws(JournalError) -> JournalLag {
    let ends = try await calls.positions(of: partitions, in: source)
    let stored = await positions.state
    var lag = JournalLag.none
    for partition in partitions {
      // The reader notes its place behind the decisions of a page.
      let position = max(progress.position(in: partition.number), stored[partition.number])
      if position == ends[partition.number] ?? .start { continue }
      let page = try await rest(of: partition, after: position)
      var first: Int64?
      if case .record(let record, _) = page.items.first { first = record.time }
      lag = lag + JournalLag(records: Int(page.last.number - position.number), since: first, at: wallTime())
    }
    return lag
  }

  private func rest(
    of partition: JournalPartition, after position: JournalPosition
  ) async throws(JournalError) -> JournalPartitionPage {
    try await calls.read { [source] _, _ throws(JournalError) in
      try await source.records(ofPartition: partition, after: position, upTo: 1)
    }
  }

  // MARK: The end

  /// The reason for which the projection has ended; nil while it follows the stores, and after ``shutdown()``.
  public var failure: JournalError? { follower.failure }

  /// Ends the projection behind the events that are being decided, and returns when its log is stored, or after the deadline of its options.
  ///
  /// Cancellation has no effect.
  public func shutdown() async { await follower.end() }
}
