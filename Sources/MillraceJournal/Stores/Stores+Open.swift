public import Millrace

extension Stores where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// Opens the stores of many keys whose logs are in a journal, and makes this process their one writer, or one of several.
  ///
  /// **Cost.** The opening claims the partitions of the name, and reads no log. Then the keys that have to be open, because a run of theirs is, or whose
  /// wake times have come, are opened in the background, as many at once as ``StoresLimits/opening``.
  ///
  /// **Closures.** `initial`, `interactor`, `interceptors` and `feedbacks` are called each time that a key is opened, on any thread.
  ///
  /// **Cancellation** of the calling task has no effect.
  ///
  /// - Parameters:
  ///   - name: The name of all these stores in the journal. Stores of other names, and single stores, are independent of these.
  ///   - journal: The journal, which is held, and not closed.
  ///   - address: The address at which this process answers for its keys. With one, the process owns a part of the partitions, and `journal` has to be a
  ///     ``SharedJournal``; see *Several processes* in ``Stores``. Defaults to nil: the process owns all of them.
  ///   - lease: The time after which the others take the partitions of a process that has stopped; from 10 milliseconds to a day.
  ///   - limits: The limits of the keys in memory.
  ///   - configuration: The configuration of each store. All stores draw from one generator of random numbers.
  ///   - schema: The version of the mutations and the state, and the ways from earlier versions.
  ///   - options: The coder and the limits of each log.
  ///   - initial: The state of revision 0 of a key.
  ///   - interceptors: The interceptors of the store of a key.
  ///   - feedbacks: The feedbacks of the store of a key; see *Feedbacks* in ``Stores``.
  ///   - interactor: The interactor of a key.
  /// - Throws: ``JournalError``, with ``JournalError/Code/notShared`` for an address and a journal of one process. An opening that fails after the claim of a partition has fenced the earlier owner of that.
  public static func open(
    name: String, journal: any PartitionedJournal, address: String? = nil, lease: Duration = .seconds(10),
    limits: StoresLimits = StoresLimits(),
    configuration: StoreConfiguration = StoreConfiguration(), schema: StoreSchema<I> = StoreSchema(),
    options: JournalOptions = JournalOptions(), initial: @escaping @Sendable (Key) -> I.State,
    interceptors: @escaping @Sendable (Key) -> [any Interceptor<I>] = { _ in [] },
    feedbacks: @escaping @Sendable (Key) -> [KeyFeedback<I.State, I.Action>] = { _ in [] },
    interactor: @escaping @Sendable (Key) -> I
  ) async throws(JournalError) -> Stores {
    let shared = journal as? any SharedJournal
    if let address, shared == nil { throw .notShared(name, address) }
    guard journal.largestBatch <= options.bufferedBytes / 2 else {
      throw .bufferTooSmall(
        JournalKey(name), limit: options.bufferedBytes, largestBatch: journal.largestBatch)
    }
    var configuration = configuration.sharingRandom()
    let epoch = JournalEpoch.begun(at: configuration.wallTime())
    let callLimits = CallLimits(options.deadline)
    let calls = JournalCalls(
      journal: journal, key: JournalKey(name), deadline: options.deadline, clock: configuration.clock,
      limits: callLimits)
    let count = try await calls.read { _, _ throws(JournalError) in try await journal.partitions(of: name) }
    let (owned, membership): (OwnedPartitions, Membership?)
    if let address, let shared {
      let id = JournalMember.ID(high: configuration.random.next(), low: configuration.random.next())
      let member = JournalMember(id, of: name, address: address, process: epoch)
      let joined = try await Membership(
        of: shared, as: member, lease: lease, partitions: count, calls, configuration,
        didReplace: { configuration.report(.replaced($0, of: I.Action.self)) })
      (owned, membership) = (joined.partitions, joined)
    } else {
      var claims: [JournalClaim] = []
      for number in 0..<count {
        let partition = JournalPartition(of: name, number: number)
        claims.append(
          try await calls.read { _, _ throws(JournalError) in try await journal.claim(partition, as: epoch) })
      }
      (owned, membership) = (OwnedPartitions(of: name, Ownership(ofAll: claims)), nil)
    }
    let source = JournaledKeys<I>(
      journal: journal, owned: owned, epoch: epoch, configuration: configuration, schema: schema, options: options,
      limits: callLimits, line: RecoveryLine(on: configuration.clock, isHeld: true))
    let parts = KeyParts(
      configuration: configuration, initial: initial, interactor: interactor, interceptors: interceptors,
      feedbacks: feedbacks)
    let waker = Waker(owned)
    let core = StoresCore(name, parts, source, limits, waker)
    return Stores(
      core, waking: Task.detached { await waker.run(core) },
      sharing: membership.map { SharingTasks(of: $0, for: core) })
  }
}

extension Stores where I.State: Equatable {
  /// Creates the stores of many keys without a journal: sessions, caches, or the keys of a test.
  ///
  /// A key leaves the memory only if its state equals its initial one; until then it is one of ``StoresLimits/live``, beyond which further keys wait. Everything
  /// else is as with a journal, but that nothing is durable.
  ///
  /// - Parameters:
  ///   - name: The name of all these stores.
  ///   - limits: The limits of the keys in memory.
  ///   - configuration: The configuration of each store. All stores draw from one generator of random numbers.
  ///   - initial: The initial state of a key; called at each opening, and when a key may leave the memory.
  ///   - interceptors: The interceptors of the store of a key.
  ///   - feedbacks: The feedbacks of the store of a key; see *Feedbacks* in ``Stores``.
  ///   - interactor: The interactor of a key.
  public static func inMemory(
    name: String, limits: StoresLimits = StoresLimits(), configuration: StoreConfiguration = StoreConfiguration(),
    initial: @escaping @Sendable (Key) -> I.State,
    interceptors: @escaping @Sendable (Key) -> [any Interceptor<I>] = { _ in [] },
    feedbacks: @escaping @Sendable (Key) -> [KeyFeedback<I.State, I.Action>] = { _ in [] },
    interactor: @escaping @Sendable (Key) -> I
  ) -> Stores {
    let parts = KeyParts(
      configuration: configuration.sharingRandom(), initial: initial, interactor: interactor,
      interceptors: interceptors, feedbacks: feedbacks)
    return Stores(StoresCore(name, parts, UnstoredKeys<Key, I>(initial: initial), limits, nil))
  }
}

extension StoreConfiguration {
  /// The configuration for several stores, which draw from one generator.
  fileprivate func sharingRandom() -> StoreConfiguration {
    if random is SystemRandomNumberGenerator { return self }
    var shared = self
    shared.random = SharedRandom(random)
    return shared
  }
}
