#if Postgres
  import MillraceEntries
  package import MillraceJournal

  /// The tables of a journal in a schema of a database.
  package struct PostgresTables: Sendable {
    /// The version of the tables.
    static let version = 3

    /// The version that an opening moves to the newest one.
    static let movedVersion = 2

    /// The name of the schema in quotes, as statements have it.
    package let schema: String
    /// The name as it is.
    let name: String

    package init(_ name: String) throws(JournalError) {
      guard !name.isEmpty, name.utf8.count < 64, !name.utf8.contains(0), !name.hasPrefix("pg_") else {
        throw JournalError(
          .cannotOpen,
          "The name \"\(name.shortened(to: 200))\" is none of a schema; take one of 1 to 63 bytes that does not begin with 'pg_'."
        )
      }
      self.name = name
      schema = "\"\(name.replacing("\"", with: "\"\""))\""
    }

    /// The name of a table with its schema.
    package func callAsFunction(_ table: String) -> String { "\(schema).journal_\(table)" }

    /// The statements that make the tables.
    ///
    /// - `format`: one row, with the version of the tables and the number of partitions.
    /// - `stores`, `partition`: the names of many stores, and their partitions with claims and positions. `last_writer` and `last_batch` are the batch of the
    ///   record at the position; programs of version 2 do not write them.
    /// - `member`: the processes that share partitions, and the ends of their leases.
    /// - `key`: the end of each log, its snapshot, wake time and last removed position; stores 0 and partition 0 are those of single stores.
    /// - `record`: the records of the keys; those of partitions have positions.
    /// - `snapshot`: the newest snapshot of a key in parts, which the key's row names.
    /// - `erased`: the hashes of erased keys, and the ends of their logs; one of a partition stays for a while beside the key's new life.
    func making(partitions: Int) -> [String] {
      [
        "create schema if not exists \(schema)",
        "create table \(self("format"))(version int not null, partitions int not null)",
        """
        create table \(self("stores"))(id int generated always as identity primary key, name bytea not null, \
        digest bytea not null generated always as (sha256(name)) stored unique)
        """,
        """
        create table \(self("partition"))(id int generated always as identity primary key, stores int not null, number int not null, \
        epoch bigint not null, owner bytea not null, position bigint not null, member_high bigint, member_low bigint, \
        name bigint not null default 0, last_writer bigint, last_batch bigint, unique(stores, number)) with (fillfactor=10)
        """,
        """
        create table \(self("member"))(high bigint not null, low bigint not null, stores bytea not null, address bytea, \
        process bytea not null, lease_until timestamptz not null, primary key(high, low)) with (fillfactor=10)
        """,
        """
        create table \(self("key"))(id bigint generated always as identity primary key, stores int not null, partition int not null, \
        name bytea not null, digest bytea not null generated always as (sha256(name)) stored, last bigint not null, \
        truncated bigint not null, removed bigint, epoch_sequence bigint not null, epoch bytea not null, wake bigint, \
        snapshot_sequence bigint, snapshot_id bigint, snapshot_parts int, snapshot_revision bigint, snapshot_version bigint, \
        snapshot_checksum bigint, unique(stores, digest)) with (fillfactor=50)
        """,
        "create index on \(self("key"))(partition, wake) where wake is not null",
        "create index on \(self("key"))(partition, removed) where removed is not null",
        "create index on \(self("key"))(stores, \(Self.listed("name")))",
        """
        create table \(self("record"))(key bigint not null, sequence bigint not null, position bigint, partition int not null, \
        writer bigint not null, batch bigint not null, kind smallint not null, version bigint not null, revision bigint not null, \
        time bigint not null, checksum bigint not null, payload bytea not null, primary key(key, sequence))
        """,
        positions,
        """
        create table \(self("snapshot"))(key bigint not null, id bigint not null, part int not null, payload bytea not null, \
        primary key(key, id, part))
        """,
        """
        create table \(self("erased"))(digest text primary key, stores int not null, partition int not null, last bigint not null, \
        position bigint)
        """,
        "create index on \(self("erased"))(partition, position) where position is not null",
        "insert into \(self("format")) values (\(Self.version), \(partitions))",
      ]
    }

    /// Makes the index by which records are found by their positions, of which a partition has each once.
    private var positions: String {
      "create unique index if not exists journal_record_position on \(self("record"))(partition, position) where position is not null"
    }

    /// The statements that move tables of version 2 to the newest version, for one transaction.
    ///
    /// Programs of version 2 that have the tables open continue.
    var moving: [String] {
      [
        // Another process may move the tables at the same time.
        "select version from \(self("format")) for update",
        positions,
        "drop index if exists \(schema).journal_record_partition_position_idx",
        """
        alter table \(self("partition")) add column if not exists name bigint not null default 0, \
        add column if not exists last_writer bigint, add column if not exists last_batch bigint
        """,
        "update \(self("format")) set version = \(Self.version) where version = \(Self.movedVersion)",
      ]
    }

    /// Finds the first position that two records of a partition have.
    var sharedPosition: String {
      """
      select s.name, p.number, r.position from (select partition, position from \(self("record")) where position is not null \
      group by partition, position having count(*) > 1 order by partition, position limit 1) r \
      join \(self("partition")) p on p.id = r.partition join \(self("stores")) s on s.id = p.stores
      """
    }

    /// The text of a digest, which is a parameter of bytes, with the collation of the index by which it is found.
    static func digest(_ bytes: String) -> String { "convert_from(\(bytes), 'UTF8') collate \"default\"" }

    /// The first bytes of a name, by which keys are listed: an entry of an index holds at most 2,704.
    static func listed(_ name: String) -> String { "substring(\(name) from 1 for 1024)" }
  }
#endif
