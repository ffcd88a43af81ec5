import Foundation
import MillraceFlags
import MillraceJournal
import MillraceRecording

/// Lists of what a journal has, which need no types.
struct JournalLists {
  /// The default number of entries that are listed.
  static let limit = 1_000
  /// The most stores that a sentence names.
  private static let mostStores = 10

  let journal: any PartitionedJournal
  /// The words before the name of a command, for errors.
  let command: String
  /// The journal's place as the subject of a sentence.
  let place: String

  /// Checks that the journal has a key.
  ///
  /// - Throws: ``CommandFailure`` if it has not.
  func check(_ key: JournalKey) async throws {
    guard try await journal.lastSequence(of: key) > .start else {
      throw CommandFailure.noKey(key, in: place, command: command)
    }
  }

  /// The sentence that names the many stores whose keys a list does not have, with the fix; nil if there are none.
  static func sentence(ofStores names: [String], in place: String, word: String) -> String? {
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(mostStores).map { FlagError.quoted($0) }.joined(separator: ", ")
    let others = names.count > mostStores ? " and \(names.count - mostStores) others" : ""
    return """
      \(place) also has keys of many stores, which are not listed: \(shown)\(others); add --of STORES to list the \(word) of one of them.
      """
  }

  /// Shows keys in the order of their names.
  ///
  /// - Parameter stores: the name of the many stores; nil for the keys of single stores.
  func keys(of stores: String?, prefix: String, _ show: (JournalKey) async throws -> Void) async throws {
    // Each name that begins with the prefix stands behind the prefix without its end.
    let start = String(prefix.unicodeScalars.dropLast())
    var last = stores != nil || prefix.isEmpty ? nil : JournalKey(start)
    while true {
      let page =
        if let stores {
          try await journal.keys(of: stores, prefix: prefix, after: last?.name)
        } else {
          try await journal.keys(after: last)
        }
      for key in page {
        guard key.name.utf8.starts(with: prefix.utf8) else {
          if prefix.utf8.lexicographicallyPrecedes(key.name.utf8) { return }
          continue
        }
        try await show(key)
      }
      guard let end = page.last else { return }
      last = end
    }
  }

  /// Lists the keys that are due at a wall time in milliseconds since 1970, the earliest first, each behind its wake time.
  func dueKeys(of stores: String, prefix: String, before time: Int64, _ write: (String) throws -> Void) async throws {
    for number in 0..<(try await journal.partitions(of: stores)) {
      let partition = JournalPartition(of: stores, number: number)
      var last: JournalDue?
      while true {
        let page = try await journal.due(in: partition, before: time, after: last, upTo: 1_000)
        for due in page where due.key.name.utf8.starts(with: prefix.utf8) {
          // A key that has to be open all the time has the wake time 0.
          let wake = due.wake == 0 ? "always                  " : "\(WallTimeText(due.wake))"
          try write("\(wake)  \(due.key.name.shownOnOneLine())\n")
        }
        guard let end = page.last else { break }
        last = end
      }
    }
  }

  /// Lists entries of a key under a line of headings.
  ///
  /// - Parameters:
  ///   - sequence: the sequence before the first entry; nil for the first entry that is not removed.
  ///   - limit: the most entries.
  ///   - isFull: whether payloads are shown whole.
  func entries(
    of key: JournalKey, after sequence: JournalSequence?, limit: Int, isFull: Bool, _ write: (String) throws -> Void
  ) async throws {
    try await check(key)
    var position = sequence ?? .start
    var rest = limit
    try write(JournalEntryLine.headings + "\n")
    while rest > 0 {
      let page =
        if sequence == nil {
          try await journal.remainingRecords(of: key, after: position)
        } else {
          try await journal.records(of: key, after: position)
        }
      for record in page.records.prefix(rest) { try write(JournalEntryLine(record, isFull: isFull).text + "\n") }
      rest -= page.records.count
      guard let end = page.records.last?.sequence, end < page.last else { return }
      position = end
    }
  }
}

extension CheckedJournal {
  /// The names of the many stores, in their order.
  func storesNames() async throws(JournalError) -> [String] {
    var names: [String] = []
    for claim in try await claims() where names.last != claim.claim.partition.stores {
      names.append(claim.claim.partition.stores)
    }
    return names
  }
}

extension Journal {
  /// Reads records of a key, behind those that were removed because a snapshot covers them.
  func remainingRecords(
    of key: JournalKey, after sequence: JournalSequence
  ) async throws(JournalError) -> JournalPage {
    do {
      return try await records(of: key, after: sequence)
    } catch {
      guard error.code == .truncated, let removed = error.sequence, removed > sequence else { throw error }
      return try await remainingRecords(of: key, after: removed)
    }
  }
}

extension CommandFailure {
  /// The failure of a command that is about a key which a journal does not have.
  static func noKey(_ key: JournalKey, in place: String, command: String) -> CommandFailure {
    let of = key.stores.map { " of the stores \(FlagError.quoted($0))" } ?? ""
    let list = key.stores == nil ? "\(command) keys" : "\(command) keys --of"
    return CommandFailure(
      """
      \(place) has no key \(FlagError.quoted(key.name))\(of); \(list) lists those it has\
      \(key.stores == nil ? ", and --of STORES names one of many stores" : "").
      """, code: EX_DATAERR)
  }
}
