public import Millrace

/// A copy of the state of one key, which follows the log of the key, in any process that can read the journal.
///
/// ```swift
/// let journal = try await SQLiteJournal(reading: "/var/lib/shop/journal")
/// let order = try await Replica<Order>.open(initial: .init(), journal: journal, key: JournalKey("17", of: "orders"))
/// for await total in order.reader.values(of: \.total) { show(total) }
/// ```
///
/// It reads what is durable, so it shows nothing that a crash of the writer could take back. It calls the reducer of the interactor's type and nothing
/// else of it: no action is decided, and no run is handled.
///
/// **Order.** States come in the order of the log. What was stored while the replica read is one new state: revisions are skipped. After an erasure of the
/// key the state is the initial one again, with the revision 0.
///
/// **Cost.** It reads the journal behind each change, also of another key. The parts of the state that a commit changes are copied, as the state
/// before it is shown meanwhile.
///
/// **Errors.** While the journal is unavailable, the replica tries again, for as long as that takes: its state is out of date meanwhile, and after the deadline
/// of the options an incident says so. If the journal is closed or fails for good, or has a record that cannot be read, the replica ends: its sequences end,
/// waits throw, ``failure`` is the reason, and an incident tells of it. The last state can still be read.
///
/// **Lifetime.** It ends when the last reference to it goes, or by ``shutdown()``.
public final class Replica<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private let store: Store<Replication<I>>
  private let follower: Follower
  private let calls: JournalCalls
  private let wallTime: @Sendable () -> Int64

  /// Reads the log of a key to its end, and follows it from there.
  ///
  /// Cancellation has no effect.
  ///
  /// - Parameters:
  ///   - initial: The state of revision 0, which the log does not have: that of the store.
  ///   - journal: The journal, which may be opened to be read alone.
  ///   - key: The key of a single store, or one of many: `JournalKey("17", of: "orders")`. It may have no record yet.
  ///   - configuration: The clock, the wall time, and where incidents go.
  ///   - schema: The versions of the mutations and the state.
  ///   - options: The coder, and the time for which this opening, and other calls that throw, try an unavailable journal again.
  ///   - progress: Called on an unspecified thread after each page of records of this first reading.
  /// - Throws: ``JournalError``, as `Store.open` for a log that cannot be read, and as ``Journal/changes()``.
  public static func open(
    initial: I.State, journal: any Journal, key: JournalKey, configuration: StoreConfiguration = StoreConfiguration(),
    schema: StoreSchema<I> = StoreSchema(), options: JournalOptions = JournalOptions(),
    progress: (@Sendable (JournalProgress) -> Void)? = nil
  ) async throws(JournalError) -> Replica {
    let calls = JournalCalls(journal: journal, key: key, deadline: options.deadline, clock: configuration.clock)
    // Before the first reading, so that no change comes between the two.
    let changes = try await calls.read { journal, _ throws(JournalError) in try await journal.changes() }
    var restored = Restoration<I>(initial, from: StoreLog(journal: journal, key: key, schema: schema, options: options))
    try await restored.readOn(calls, progress)
    return Replica(restored, changes, calls, configuration)
  }

  private init(
    _ restored: Restoration<I>, _ changes: AsyncStream<Void>, _ calls: JournalCalls, _ configuration: StoreConfiguration
  ) {
    self.calls = calls
    wallTime = configuration.wallTime
    let store = Store(initial: restored.replicated, interactor: Replication<I>(), configuration: configuration)
    self.store = store
    let name = "The replica of \(calls.key.quoted)"
    let calls = calls.outlastingOutages(Follower.reportsOutages(name, of: I.self, configuration))
    follower = Follower(name, of: I.self, configuration, didEnd: { await store.shutdown() }) {
      () async throws(JournalError) in
      var restored = restored
      for await _ in changes {
        let before = restored.last
        try await restored.readOn(calls, nil)
        if restored.last != before { store.send(restored.replicated) }
      }
    }
  }

  deinit { follower.cancel() }

  // MARK: Reading

  /// The state, now and over time: `reader.state`, `reader.values(of:)`, `reader.wait(until:timeout:)`.
  ///
  /// The revisions of its snapshots count the states that the replica has read; those of the log are in ``positions``.
  public var reader: StateReader<I.State> { store.reader.scope(\.state) }

  /// The position in the log of the newest state, now and over time.
  ///
  /// The sender of an action to the store can wait for its commit here: `positions.wait { $0.revision >= commit }`.
  public var positions: StateReader<ReplicaPosition> { store.reader.scope(\.position) }

  /// Waits until the replica has everything that is durable now.
  ///
  /// Cancellation ends the wait with `CancellationError`.
  ///
  /// - Throws: ``JournalError`` if the replica ends before, or the end of the log cannot be read.
  public func catchUp() async throws {
    let last = try await calls.read { journal, key throws(JournalError) in try await journal.lastSequence(of: key) }
    try await follower.waiting { _ = try await positions.wait(until: { $0.sequence >= last }) }
  }

  /// Reads the part of the log that is not in the state yet.
  ///
  /// Cancellation has no effect.
  ///
  /// - Throws: ``JournalError`` if the end of the log cannot be read.
  public func lag() async throws(JournalError) -> JournalLag {
    let position = await positions.state
    let found = try await calls.read { journal, key throws(JournalError) in
      do throws(JournalError) {
        let page = try await journal.records(of: key, after: position.sequence, upTo: 1)
        return (last: page.last, time: page.records.first?.time)
      } catch {
        guard error.code == .truncated else { throw error }
        // The first record that is missing is not older than the last one that was read.
        return (last: try await journal.lastSequence(of: key), time: position.time)
      }
    }
    let count = found.last.number - min(position.sequence.number, found.last.number)
    return JournalLag(records: Int(count), since: found.time, at: wallTime())
  }

  // MARK: The end

  /// The reason for which the replica has ended; nil while it follows the log, and after ``shutdown()``.
  public var failure: JournalError? { follower.failure }

  /// Ends the replica; its sequences end with the last state, which can still be read.
  ///
  /// Cancellation has no effect.
  public func shutdown() async { await follower.end() }
}

/// The position of a replica in the log of its key.
public struct ReplicaPosition: Sendable, Hashable {
  /// The last record that is in the state.
  public let sequence: JournalSequence

  /// The revision of the state in its store.
  public let revision: Int

  /// The wall time of the record in milliseconds since 1970; nil without a record, or if that is only in a snapshot.
  public let time: Int64?
}

/// The state of a replica, and its position.
struct Replicated<State: Sendable>: Sendable {
  let state: State
  let position: ReplicaPosition
}

/// The interactor of a replica's store, whose actions are the states that were read.
struct Replication<I: Interactor>: Interactor where I.State: Sendable {
  func decide(_ action: Replicated<I.State>, state: Replicated<I.State>) -> Decision<Replicated<I.State>> {
    .mutate(action)
  }

  func handle(_ action: Replicated<I.State>, state: Replicated<I.State>) -> Effect<Replication> { .none }

  static func reduce(into state: inout Replicated<I.State>, mutation: Replicated<I.State>) { state = mutation }
}

extension Restoration {
  fileprivate var replicated: Replicated<I.State> {
    Replicated(state: state, position: ReplicaPosition(sequence: last, revision: revision, time: lastTime))
  }
}
