#if Postgres
  import Millrace
  public import MillraceJournal

  extension PostgresJournal: SharedJournal {
    private var shares: ShareStatements { ShareStatements(tables: tables) }

    /// Adds a member, as ``SharedJournal/join(_:lease:)`` says; the clock of the server ends its lease.
    ///
    /// The journal renews the lease on a thread of its own when no task calls ``renew(_:lease:)`` in time, because handlers block the pool: until six leases have
    /// passed without a call, which is the incident `unresponsiveProcess`. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func join(_ member: JournalMember, lease: Duration) async throws(JournalError) {
      let (isMember, newcomer) = try await callForLease { leases, link throws(PostgresFailure) in
        try leases.join(member, lease, on: &link)
      }
      if isMember { return }
      throw .replaced(
        member, by: newcomer.flatMap { try? JournalEpoch(payload: $0, of: JournalKey(member.stores), at: .start) })
    }

    /// Ends the leases of the other members at an address, as ``SharedJournal/replaceMembers(with:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func replaceMembers(with member: JournalMember) async throws(JournalError) -> [JournalMember] {
      let found = try await write([ShareStatements.localCommit, shares.replaceMembers(with: member)])[1]
      var members: [JournalMember] = []
      for row in found.rows where found.number(row, 3) != 0 {
        members.append(try Self.member(found, row, of: member.stores, address: member.address))
      }
      return members.sorted { $0.id < $1.id }
    }

    /// The member in the first three columns of a row.
    static func member(
      _ found: PostgresResult, _ row: Int, of stores: String, address: String?
    ) throws(JournalError) -> JournalMember {
      JournalMember(
        JournalMember.ID(high: found.bits(row, 0), low: found.bits(row, 1)), of: stores, address: address,
        process: try JournalEpoch(payload: found.bytes(row, 2), of: JournalKey(stores), at: .start))
    }

    /// Begins the lease of a member anew, as ``SharedJournal/renew(_:lease:)`` says.
    ///
    /// It waits for no standby, and for no other call than one about a lease. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func renew(_ member: JournalMember.ID, lease: Duration) async throws(JournalError) -> Bool {
      leases.noteSign(of: member)
      return try await callForLease { leases, link throws(PostgresFailure) in
        try leases.renew(member, lease, on: &link)
      }
    }

    /// Ends the lease of a member.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func leave(_ member: JournalMember.ID) async throws(JournalError) {
      try await callForLease { leases, link throws(PostgresFailure) in try leases.leave(member, on: &link) }
    }

    /// Reads the members and the owners, as ``SharedJournal/shares(of:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func shares(of stores: String) async throws(JournalError) -> JournalShares {
      let before = watch.ends
      let results = try await read([shares.members(of: stores), shares.owners(of: stores)])
      let (found, rows) = (results[0], results[1])
      var members: [JournalMember] = []
      for row in found.rows {
        members.append(
          try Self.member(found, row, of: stores, address: found.isNull(row, 3) ? nil : found.text(row, 3)))
      }
      var (owners, ends): ([Int: JournalShares.Owner], [KnownPartitions.Found]) = ([:], [])
      for row in rows.rows {
        let id =
          rows.isNull(row, 2) ? nil : JournalMember.ID(high: rows.bits(row, 2), low: rows.bits(row, 3))
        let number = Int(rows.number(row, 0))
        owners[number] = JournalShares.Owner(id, epoch: rows.bits(row, 1), name: rows.bits(row, 4))
        ends.append(
          KnownPartitions.Found(
            partition: JournalPartition(of: stores, number: number), position: JournalPosition(rows.bits(row, 5)),
            batch: rows.batch(row, 6)))
      }
      watch.compare(ends, with: before)
      return JournalShares(members: members, owners: owners)
    }

    /// Takes partitions that are free, as ``SharedJournal/take(_:as:)`` says.
    ///
    /// A partition that a transaction of an owner without a lease has locked is freed: the connection is ended, and a later call takes it. Cancellation
    /// has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func take(_ partitions: [Int], as member: JournalMember) async throws(JournalError) -> [JournalClaim] {
      let numbers = partitions.filter { 0..<partitionCount ~= $0 }
      if numbers.isEmpty { return [] }
      let name = UInt64.random(in: .min ... .max)
      let before = watch.ends.filter {
        $0.key.stores.utf8.elementsEqual(member.stores.utf8) && numbers.contains($0.key.number)
      }
      let ends = EndStatement(before, tables)
      let results = try await write(shares.take(numbers, as: member, name) + [ends.statement])
      watch.compare(ends.found(in: results[3]), with: before)
      let taken = results[2]
      let claims = taken.rows.map { row in
        JournalClaim(
          JournalPartition(of: member.stores, number: Int(taken.number(row, 0))), epoch: taken.bits(row, 1), name: name)
      }
      watch.didClaim(claims)
      let left = Set(numbers).subtracting(claims.map(\.partition.number))
      if !left.isEmpty { _ = try await write([shares.endLocks(on: left.sorted(), of: member.stores)]) }
      return claims
    }

    /// Releases partitions.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func release(_ claims: [JournalClaim]) async throws(JournalError) {
      _ = try await write([shares.release(claims)])
    }
  }
#endif
