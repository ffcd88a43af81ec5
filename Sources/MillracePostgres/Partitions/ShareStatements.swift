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

    func join(_ member: JournalMember, milliseconds: Int64) -> PostgresStatement {
      PostgresStatement(
        """
        insert into \(members)(high, low, stores, address, process, lease_until) values ($1, $2, $3, $4, $5, \(end(6))) \
        on conflict (high, low) do update set lease_until = excluded.lease_until
        """
      ) {
        $0.add(member.id)
        $0.add(member.stores.utf8)
        $0.add(member.address?.utf8)
        $0.add(member.process.encoded)
        $0.add(milliseconds)
      }
    }

    /// Begins a lease anew that has not ended; it has a row then.
    func renew(_ member: JournalMember.ID, milliseconds: Int64) -> PostgresStatement {
      PostgresStatement(
        "update \(members) m set lease_until = \(end(3)) where high = $1 and low = $2 and \(isLive("m")) returning 1::bigint"
      ) {
        $0.add(member)
        $0.add(milliseconds)
      }
    }

    func leave(_ member: JournalMember.ID) -> PostgresStatement {
      PostgresStatement("delete from \(members) where high = $1 and low = $2") { $0.add(member) }
    }

    /// Removes the members whose leases have ended for long, because a process that is killed leaves its row.
    var forgetEnded: PostgresStatement {
      PostgresStatement("delete from \(members) where lease_until < clock_timestamp() - interval '1 day'")
    }

    func members(of stores: String) -> PostgresStatement {
      PostgresStatement(
        "select high, low, address, process from \(members) m where stores = $1 and \(isLive("m")) order by 1, 2"
      ) {
        $0.add(stores.utf8)
      }
    }

    func owners(of stores: String) -> PostgresStatement {
      PostgresStatement(
        """
        select number, epoch, member_high, member_low from \(partitions) \
        where stores = (select id from \(tables("stores")) where digest = sha256($1))
        """
      ) { $0.add(stores.utf8) }
    }

    /// Takes the partitions that are free; the last statement returns their numbers and epochs.
    ///
    /// A row that another transaction has locked is passed over.
    func take(_ numbers: [Int], as member: JournalMember) -> [PostgresStatement] {
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
          update \(partitions) p set epoch = p.epoch + 1, owner = $5, member_high = $3, member_low = $4 from f where p.id = f.id \
          returning p.number, p.epoch
          """
        ) {
          $0.add(member.id)
          $0.add(member.process.encoded)
        },
      ]
    }

    func release(_ claims: [JournalClaim]) -> PostgresStatement {
      PostgresStatement(
        """
        update \(partitions) p set member_high = null, member_low = null from unnest($1::bytea[], $2::bigint[], $3::bigint[]) \
        w(stores, number, epoch), \(tables("stores")) s where s.digest = sha256(w.stores) and p.stores = s.id and p.number = w.number \
        and p.epoch = w.epoch
        """
      ) {
        $0.add(blobs: claims.map { Array($0.partition.stores.utf8) })
        $0.add(numbers: claims.map { Int64($0.partition.number) })
        $0.add(numbers: claims.map { Int64(bitPattern: $0.epoch) })
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
