#if Postgres
  import MillraceJournal

  /// The statements about the members of many stores, and about their partitions.
  ///
  /// Leases are renewed without a wait for a standby: whether a process lives must not depend on one, and a lease that a failover forgets is renewed, or
  /// ends.
  struct ShareStatements {
    let tables: PostgresTables

    /// The setting of a commit that waits for the disk of this server alone.
    static let localCommit = PostgresStatement("select set_config('synchronous_commit', 'local', true)")

    private var members: String { tables("member") }
    private var partitions: String { tables("partition") }

    private func isLive(_ name: String) -> String { "\(name).lease_until > clock_timestamp()" }

    /// The end of a lease, whose milliseconds are the parameter of this number.
    private func end(_ parameter: Int) -> String { "clock_timestamp() + $\(parameter) * interval '1 millisecond'" }

    /// Begins a lease; it has a row then, and none for a member that was replaced, whose row has lost its address.
    func join(_ member: JournalMember, milliseconds: Int64) -> PostgresStatement {
      PostgresStatement(
        """
        insert into \(members) as m(high, low, stores, address, process, lease_until) values ($1, $2, $3, $4, $5, \(end(6))) \
        on conflict (high, low) do update set lease_until = excluded.lease_until \
        where m.address is not distinct from excluded.address returning high
        """
      ) {
        $0.add(member.id)
        $0.add(member.stores.utf8)
        $0.add(member.address?.utf8)
        $0.add(member.process.encoded)
        $0.add(milliseconds)
      }
    }

    /// Ends the leases of the other members at an address, unless the member has lost that itself; returns whether each one had a lease.
    ///
    /// Their rows lose the address, by which a member that was replaced is known.
    func replaceMembers(with member: JournalMember) -> PostgresStatement {
      PostgresStatement(
        """
        with o as materialized (select high, low, \(isLive("m")) as live from \(members) m where stores = $3 and address = $4 \
        and (high, low) <> ($1, $2) and exists (select 1 from \(members) where high = $1 and low = $2 and address = $4) for update) \
        update \(members) m set address = null, lease_until = least(m.lease_until, clock_timestamp()) from o \
        where m.high = o.high and m.low = o.low returning m.high, m.low, m.process, o.live
        """
      ) {
        $0.add(member.id)
        $0.add(member.stores.utf8)
        $0.add(member.address?.utf8)
      }
    }

    /// Reads the process that has replaced a member: the one with the newest lease at its address.
    func newcomer(of member: JournalMember) -> PostgresStatement {
      PostgresStatement(
        """
        select process from \(members) where stores = $3 and address = $4 and (high, low) <> ($1, $2) order by lease_until desc limit 1
        """
      ) {
        $0.add(member.id)
        $0.add(member.stores.utf8)
        $0.add(member.address?.utf8)
      }
    }

    /// Begins a lease anew that has not ended; it has a row then.
    ///
    /// - Parameter columns: The columns to return.
    func renew(_ member: JournalMember.ID, milliseconds: Int64, returning columns: String) -> PostgresStatement {
      PostgresStatement(
        "update \(members) m set lease_until = \(end(3)) where high = $1 and low = $2 and \(isLive("m")) returning \(columns)"
      ) {
        $0.add(member)
        $0.add(milliseconds)
      }
    }

    func leave(_ member: JournalMember.ID) -> PostgresStatement {
      PostgresStatement("delete from \(members) where high = $1 and low = $2") { $0.add(member) }
    }

    /// Removes a member whose lease has ended, and releases its partitions; it has a row then.
    func forget(_ member: JournalMember.ID) -> PostgresStatement {
      PostgresStatement(
        """
        with m as (delete from \(members) where high = $1 and low = $2 and lease_until <= pg_catalog.clock_timestamp() returning high, low), \
        p as (update \(partitions) p set member_high = null, member_low = null from m where p.member_high = m.high and p.member_low = m.low) \
        select high from m
        """
      ) { $0.add(member) }
    }

    /// Removes the members whose leases have ended for long, because a process that is killed leaves its row.
    var forgetEnded: PostgresStatement {
      PostgresStatement("delete from \(members) where lease_until < clock_timestamp() - interval '1 day'")
    }

    func members(of stores: String) -> PostgresStatement {
      PostgresStatement(
        "select high, low, process, address from \(members) m where stores = $1 and \(isLive("m")) order by 1, 2"
      ) {
        $0.add(stores.utf8)
      }
    }

    func owners(of stores: String) -> PostgresStatement {
      PostgresStatement(
        """
        select number, epoch, member_high, member_low, name, position, last_writer, last_batch from \(partitions) \
        where stores = (select id from \(tables("stores")) where digest = sha256($1))
        """
      ) { $0.add(stores.utf8) }
    }

    /// Takes the partitions that are free; the last statement returns their numbers and epochs.
    ///
    /// A row that another transaction has locked is passed over.
    ///
    /// - Parameter name: The name of the claims.
    func take(_ numbers: [Int], as member: JournalMember, _ name: UInt64) -> [PostgresStatement] {
      func statement(_ sql: String, _ add: (inout PostgresParameters) -> Void = { _ in }) -> PostgresStatement {
        PostgresStatement(sql) {
          $0.add(member.stores.utf8)
          $0.add(numbers: numbers.map { Int64($0) })
          add(&$0)
        }
      }
      let id = "(select id from \(tables("stores")) where digest = sha256($1))"
      return [
        PartitionStatements(tables: tables, partition: JournalPartition(of: member.stores, number: 0)).named,
        statement(
          """
          insert into \(partitions)(stores, number, epoch, owner, position) select \(id), n, 0, '', 0 from unnest($2) w(n) \
          where not exists (select 1 from \(partitions) where stores = \(id) and number = n) on conflict do nothing
          """),
        statement(
          """
          with f as materialized (select p.id from \(partitions) p where p.stores = \(id) and p.number = any($2) \
          and exists (select 1 from \(members) m where m.high = $3 and m.low = $4 and \(isLive("m"))) \
          and (p.member_high is null or (p.member_high, p.member_low) = ($3, $4) or not exists (select 1 from \(members) m \
          where m.high = p.member_high and m.low = p.member_low and \(isLive("m")))) for no key update of p skip locked) \
          update \(partitions) p set epoch = p.epoch + 1, owner = $5, name = $6, member_high = $3, member_low = $4 from f where p.id = f.id \
          returning p.number, p.epoch
          """
        ) {
          $0.add(member.id)
          $0.add(member.process.encoded)
          $0.add(name)
        },
      ]
    }

    func release(_ claims: [JournalClaim]) -> PostgresStatement {
      PostgresStatement(
        """
        update \(partitions) p set member_high = null, member_low = null from unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[]) \
        w(stores, number, epoch, name), \(tables("stores")) s where s.digest = sha256(w.stores) and p.stores = s.id and p.number = w.number \
        and p.epoch = w.epoch and p.name = w.name
        """
      ) {
        $0.add(blobs: claims.map { Array($0.partition.stores.utf8) })
        $0.add(numbers: claims.map { Int64($0.partition.number) })
        $0.add(numbers: claims.map { Int64(bitPattern: $0.epoch) })
        $0.add(numbers: claims.map { Int64(bitPattern: $0.name) })
      }
    }

    /// Ends the connections of this role whose transactions have locked partitions, of which the owner has no lease any longer.
    ///
    /// A process that was stopped between two statements of an append leaves such a transaction, and the server does not end it by itself. The row names the
    /// transaction that has locked it.
    func endLocks(on numbers: [Int], of stores: String) -> PostgresStatement {
      PostgresStatement(
        """
        select pg_terminate_backend(l.pid) from \(partitions) p join pg_locks l on l.locktype = 'transactionid' and l.granted \
        and l.transactionid = p.xmax join pg_stat_activity a on a.pid = l.pid and a.usename = current_user \
        where p.stores = (select id from \(tables("stores")) where digest = sha256($1)) and p.number = any($2) and l.pid <> pg_backend_pid() and p.member_high is not null and not exists (select 1 from \(members) m \
        where m.high = p.member_high and m.low = p.member_low and \(isLive("m")))
        """
      ) {
        $0.add(stores.utf8)
        $0.add(numbers: numbers.map { Int64($0) })
      }
    }
  }

  extension PostgresParameters {
    /// Adds both halves of a member's name.
    fileprivate mutating func add(_ id: JournalMember.ID) {
      add(id.high)
      add(id.low)
    }
  }
#endif
