#if Postgres
  package import MillraceJournal

  /// The members of all stores, for a command.
  extension PostgresJournal: MemberedJournal {
    /// The members that have rows, those whose leases have ended too, in the order of the names of their stores.
    ///
    /// - Throws: ``JournalError``.
    package func listedMembers() async throws(JournalError) -> [ListedMember] {
      let results = try await read([
        PostgresStatement(
          """
          select high, low, process, address, stores, (extract(epoch from lease_until - pg_catalog.clock_timestamp()) * 1000)::bigint \
          from \(tables("member")) order by stores, address, high, low
          """),
        PostgresStatement(
          "select member_high, member_low, number from \(tables("partition")) where member_high is not null order by number"
        ),
      ])
      let (found, owned) = (results[0], results[1])
      let partitions = Dictionary(grouping: owned.rows) { row in
        JournalMember.ID(high: owned.bits(row, 0), low: owned.bits(row, 1))
      }
      var members: [ListedMember] = []
      for row in found.rows {
        let member = try Self.member(
          found, row, of: found.text(row, 4), address: found.isNull(row, 3) ? nil : found.text(row, 3))
        members.append(
          ListedMember(
            member, lease: .milliseconds(found.number(row, 5)),
            partitions: partitions[member.id, default: []].map { Int(owned.number($0, 2)) }))
      }
      return members
    }

    /// Removes a member whose lease has ended, and releases its partitions.
    ///
    /// - Returns: Whether there was such a member.
    /// - Throws: ``JournalError``.
    package func forget(_ member: JournalMember.ID) async throws(JournalError) -> Bool {
      let forgotten = try await write([ShareStatements(tables: tables).forget(member)])
      return !forgotten[0].rows.isEmpty
    }
  }
#endif
