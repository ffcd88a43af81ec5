#if SQLite
  import Foundation
  import Millrace

  @testable import MillraceJournalKill

  /// The rows of many keys in a journal's file, which are read and checked by SQLite and by no code of the journal.
  struct StoredKeyRows {
    struct Record {
      let sequence: Int
      let kind: Int
      let revision: Int
      let payload: Data
      let position: Int?
    }

    /// The state to which the rows of a key lead.
    struct Content {
      var state = Numbers.State()
      /// The sequences of the take-ups that have no end.
      var openRuns: Set<Int> = []
      /// The revision of the snapshot, and the numbers that each later record changes by its revision.
      var snapshotRevision = 0
      var numbers: [Int: [Int]] = [:]
    }

    private struct Key {
      let name: String
      let id: Int
      let last: Int
      let truncated: Int
      let epochSequence: Int
      let epoch: Data
      let wake: Int?
    }

    /// The writer of records: a process at a time.
    private struct Epoch: Decodable, Equatable {
      let process: Int
      let time: Int64
    }

    private struct Snapshot: Decodable {
      struct Run: Decodable { let sequence: Int }

      let state: Numbers.State
      let runs: [Run]
    }

    private struct Entry: Decodable { let mutations: [Numbers.Mutation] }

    private struct End: Decodable {
      struct Head: Decodable { let run: Int }

      let head: Head
    }

    private enum Kind {
      static let epoch = 1
      static let takeUp = 3
      static let end = 5
    }

    private let connection: PlainConnection
    private var keys: [Key] = []
    private var records: [Int: [Record]] = [:]
    /// The contents by the names of the keys.
    private(set) var contents: [String: Content] = [:]
    /// The places where the file is not a journal that a writer leaves.
    private(set) var problems: [String] = []

    init(_ path: String) throws {
      connection = try PlainConnection(path)
      if try connection.rows("SELECT 1 FROM sqlite_schema").isEmpty { return }
      let pages = try connection.rows("PRAGMA integrity_check").map { $0[0].text }
      if pages != ["ok"] { problems += pages }
      keys = try connection.rows("SELECT name, id, last, truncated, epochSequence, epoch, wake FROM keys").map {
        Key(
          name: $0[0].text, id: $0[1].number ?? 0, last: $0[2].number ?? 0, truncated: $0[3].number ?? 0,
          epochSequence: $0[4].number ?? 0, epoch: $0[5].bytes, wake: $0[6].number)
      }
      let rows = try connection.rows(
        "SELECT key, sequence, kind, revision, payload, position FROM records ORDER BY key, sequence")
      for row in rows {
        records[row[0].number ?? 0, default: []].append(
          Record(
            sequence: row[1].number ?? 0, kind: row[2].number ?? 0, revision: row[3].number ?? 0, payload: row[4].bytes,
            position: row[5].number))
      }
      try checkSequences()
      try checkPositions()
      try checkEpochs()
      for key in keys {
        let content = try content(of: key)
        contents[key.name] = content
        let wake = content.openRuns.isEmpty ? content.state.timers.earliest.map { max(Int($0), 1) } : 0
        if key.wake != wake {
          problems.append(
            "the wake time of \(key.name) is \(key.wake ?? -1) in place of \(wake ?? -1), with \(content.openRuns.count) open runs"
          )
        }
      }
    }

    /// Each key has every record behind those that were removed.
    private mutating func checkSequences() throws {
      for key in keys where (records[key.id] ?? []).map(\.sequence) != Array(key.truncated..<key.last).map({ $0 + 1 }) {
        problems.append("the sequences of \(key.name) have gaps")
      }
      let ids = Set(keys.map(\.id))
      if !ids.isSuperset(of: records.keys) { problems.append("records have no key") }
    }

    /// Each position of the partition is that of one record, or of one that was removed.
    private mutating func checkPositions() throws {
      let rows = try connection.rows("SELECT position, name, sequence FROM positions ORDER BY position")
      let last = try connection.rows("SELECT position FROM partitions").first?[0].number ?? 0
      let removed = keys.reduce(0) { $0 + $1.truncated }
      if rows.count + removed != last || rows.last?[0].number ?? 0 > last || rows.first?[0].number == 0 {
        problems.append("\(rows.count) positions and \(removed) removed ones do not lead to \(last)")
      }
      let found = rows.map { "\($0[1].text) \($0[2].number ?? 0) \($0[0].number ?? 0)" }
      let stored = keys.flatMap { key in
        (records[key.id] ?? []).map { "\(key.name) \($0.sequence) \($0.position ?? 0)" }
      }
      if Set(found) != Set(stored) { problems.append("the positions are not those of the records") }
      for key in keys {
        let positions = (records[key.id] ?? []).compactMap(\.position)
        if zip(positions, positions.dropFirst()).contains(where: { $0 >= $1 }) {
          problems.append("the positions of \(key.name) do not rise")
        }
      }
    }

    /// In the order of positions no writer continues behind the first record of a later one.
    private mutating func checkEpochs() throws {
      var epochs: [(position: Int, name: String, epoch: Epoch)] = []
      for key in keys {
        let newest = try JSONDecoder().decode(Epoch.self, from: key.epoch)
        var epoch = key.epochSequence <= key.truncated ? newest : nil
        for record in records[key.id] ?? [] {
          if record.kind == Kind.epoch { epoch = try JSONDecoder().decode(Epoch.self, from: record.payload) }
          // Behind records that were removed the first ones may have an epoch that is not there.
          if let epoch { epochs.append((record.position ?? 0, key.name, epoch)) }
          if record.sequence == 1, record.kind != Kind.epoch { problems.append("\(key.name) begins without an epoch") }
        }
        if let epoch, epoch != newest { problems.append("the row of \(key.name) has another epoch than its log") }
      }
      epochs.sort { $0.position < $1.position }
      for (first, second) in zip(epochs, epochs.dropFirst())
      where first.epoch != second.epoch && first.epoch.time >= second.epoch.time {
        problems.append("\(second.name) has a record of an earlier epoch at the position \(second.position)")
      }
    }

    private func content(of key: Key) throws -> Content {
      var (content, start) = (Content(), 0)
      let snapshots = try connection.rows(
        "SELECT sequence, revision, payload, coalesce(parts, 0) FROM snapshots WHERE key = \(key.id)")
      if let row = snapshots.first {
        guard row[3].number == 0 else { throw PlainConnection.Refused(code: -1) }
        let snapshot = try JSONDecoder().decode(Snapshot.self, from: row[2].bytes)
        content.state = snapshot.state
        content.openRuns = Set(snapshot.runs.map(\.sequence))
        (start, content.snapshotRevision) = (row[0].number ?? 0, row[1].number ?? 0)
      }
      for record in records[key.id] ?? [] where record.sequence > start && record.kind != Kind.epoch {
        if record.kind == Kind.takeUp { content.openRuns.insert(record.sequence) }
        if record.kind == Kind.end {
          content.openRuns.remove(try JSONDecoder().decode(End.self, from: record.payload).head.run)
        }
        guard record.revision >= 0 else { continue }
        let mutations = try JSONDecoder().decode(Entry.self, from: record.payload).mutations
        for mutation in mutations { Numbers.reduce(into: &content.state, mutation: mutation) }
        content.numbers[record.revision] = mutations.map(\.number)
      }
      return content
    }
  }
#endif
