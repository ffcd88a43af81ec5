#if Postgres
  import Millrace
  import MillraceJournal
  import MillracePostgres

  private let lease = Duration.seconds(2)
  private let partitions = 256

  /// The time from the end of a process that says no word to that at which another one owns each partition, beside the lease.
  let takeOverRows = [
    Row(name: "reference/lease") { _ in Figure(value: nanoseconds(lease)) },
    Row(name: "postgres/take-over", reference: "reference/lease", target: 1.3, gate: .otherProcess) { size in
      try await PostgresBench.with(partitions: partitions) { schema in
        var options = PostgresOptions()
        options.schema = schema.name
        let other = try await PostgresJournal(schema.address, options: options)
        let stores = try await shared(schema.journal, "first")
        try addIdleKeys(size == .quick ? 1_000 : 100_000, to: schema)
        let newcomer = try await shared(other, "second")
        let shares = newcomer.shares ?? stores.shares
        try await shares?.wait { seen in
          seen.members.count == 2 && Set((0..<partitions).map { seen.owner(of: $0)?.address }) == ["first", "second"]
        }
        let clock = ContinuousClock()
        let start = clock.now
        // Its lease is not renewed any more, and nothing releases its partitions.
        await schema.journal.close()
        try await shares?.wait { seen in (0..<partitions).allSatisfy { seen.owner(of: $0)?.address == "second" } }
        let figure = Figure(value: nanoseconds(start.duration(to: clock.now)))
        await newcomer.shutdown()
        await stores.shutdown()
        await other.close()
        return figure
      }
    },
  ]

  private func shared(
    _ journal: PostgresJournal, _ address: String
  ) async throws(JournalError) -> Stores<String, Bookings> {
    var configuration = StoreConfiguration()
    // The first one reports that its lease cannot be renewed.
    configuration.report = { _ in }
    return try await Stores<String, Bookings>.open(
      name: "bookings", journal: journal, address: address, lease: lease, configuration: configuration,
      options: .ofBookings,
      initial: { _ in Bookings.State() }, interactor: { _ in Bookings() })
  }

  /// Adds keys that no process has open.
  private func addIdleKeys(_ count: Int, to schema: PostgresBench) throws {
    try PlainPostgres(schema.address).run([
      (
        """
        insert into \(schema.tables("key"))(stores, partition, name, last, truncated, epoch_sequence, epoch) select p.stores, p.id, \
        convert_to('idle ' || n, 'UTF8'), 0, 0, 0, '' from generate_series(1, \(count)) n join \(schema.tables("partition")) p \
        on p.number = n % \(partitions)
        """, PlainParameters()
      )
    ])
  }
#endif
