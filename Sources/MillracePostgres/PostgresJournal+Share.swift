#if Postgres
  import Millrace
  public import MillraceJournal

  extension PostgresJournal: SharedJournal {
    private var shares: ShareStatements { ShareStatements(tables: tables) }

    /// Adds a member, as ``SharedJournal/join(_:lease:)`` says; the clock of the server ends its lease.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func join(_ member: JournalMember, lease: Duration) async throws(JournalError) {
      _ = try await write([
        ShareStatements.localCommit, shares.forgetEnded, shares.join(member, milliseconds: lease.wholeMilliseconds),
      ])
    }

    /// Begins the lease of a member anew, as ``SharedJournal/renew(_:lease:)`` says.
    ///
    /// It does not wait for a standby. Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func renew(_ member: JournalMember.ID, lease: Duration) async throws(JournalError) -> Bool {
      let results = try await write([
        ShareStatements.localCommit, shares.renew(member, milliseconds: lease.wholeMilliseconds),
      ])
      return !results[1].rows.isEmpty
    }

    /// Ends the lease of a member.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func leave(_ member: JournalMember.ID) async throws(JournalError) {
      _ = try await write([ShareStatements.localCommit, shares.leave(member)])
    }

    /// Reads the members and the owners, as ``SharedJournal/shares(of:)`` says.
    ///
    /// Cancellation has no effect.
    ///
    /// - Throws: ``JournalError``.
    public func shares(of stores: String) async throws(JournalError) -> JournalShares {
      let results = try await read([shares.members(of: stores), shares.owners(of: stores)])
      let (found, rows) = (results[0], results[1])
      var members: [JournalMember] = []
      for row in found.rows {
        members.append(
          JournalMember(
            JournalMember.ID(high: found.bits(row, 0), low: found.bits(row, 1)), of: stores,
            address: found.isNull(row, 2) ? nil : found.text(row, 2),
            process: try JournalEpoch(payload: found.bytes(row, 3), of: JournalKey(stores), at: .start)))
      }
      var owners: [Int: JournalShares.Owner] = [:]
      for row in rows.rows {
        let id =
          rows.isNull(row, 2) ? nil : JournalMember.ID(high: rows.bits(row, 2), low: rows.bits(row, 3))
        owners[Int(rows.number(row, 0))] = JournalShares.Owner(id, epoch: rows.bits(row, 1))
      }
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
      let results = try await write(shares.take(numbers, as: member))
      guard let taken = results.last else { return [] }
      let claims = taken.rows.map { row in
        JournalClaim(
          JournalPartition(of: member.stores, number: Int(taken.number(row, 0))), epoch: taken.bits(row, 1))
      }
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

  extension Duration {
    /// The milliseconds, from 0 to as many as a lease may have.
    fileprivate var wholeMilliseconds: Int64 { min(max(Int64(bounded / .milliseconds(1)), 0), 1 << 40) }
  }
#endif
