import Foundation
import MillraceFlags
import MillraceJournal

/// Reads the whole file of a journal, continues behind what is damaged, and names it.
struct JournalVerification {
  private let journal: any CheckedJournal
  private let place: String
  private let line: StatusLine
  private let report: (String) -> Void
  /// The number of keys that the journal says it has.
  private var total = 0
  private var keys = 0
  private var records = 0
  private var snapshots = 0
  private var damaged = 0
  private var shown: Int?

  /// - Parameters:
  ///   - journal: a journal that was opened to be read; one in a file by `init(checking:)`.
  ///   - place: the journal's place as the subject of a sentence.
  ///   - line: shows the progress.
  ///   - report: receives a sentence for each damaged part.
  init(
    of journal: any CheckedJournal, place: String, line: StatusLine,
    report: @escaping (String) -> Void = StandardError.writeLine
  ) {
    (self.journal, self.place, self.line, self.report) = (journal, place, line, report)
  }

  /// Reads everything, and returns the sentence for a journal that is whole.
  ///
  /// - Throws: ``CommandFailure`` if a part is damaged, or the error of a journal that cannot be read on.
  mutating func run() async throws -> String {
    defer { if shown != nil { line.clear() } }
    total = try await journal.keyCount()
    var last: ListedKey?
    while true {
      let page = try await journal.listedKeys(after: last)
      for stored in page {
        switch stored.key {
        case .success(let key): try await verify(key)
        case .failure(let error): damage("\(error)")
        }
        keys += 1
        show(0)
      }
      guard let end = page.last else { break }
      last = end
    }
    if damaged == 0 { try await verifyPartitions() }
    for problem in try await journal.integrityProblems() { damage("\(problem).") }
    // A list of keys fails if rows are missing.
    if damaged == 0 { try await find { _ = try await $0.keys(after: nil) } }
    let counts =
      "\(Self.count(keys, "key")), \(Self.count(records, "record")) and \(Self.count(snapshots, "snapshot"))"
    guard damaged == 0 else {
      throw CommandFailure(
        """
        \(place) is damaged: \(Self.count(damaged, "problem")) in \(counts) that could be read; restore the journal from a \
        copy.
        """, code: EX_DATAERR)
    }
    return "\(place) is whole: \(counts)."
  }

  private mutating func verify(_ key: JournalKey) async throws(JournalError) {
    do {
      if try await journal.snapshot(of: key) != nil { snapshots += 1 }
    } catch {
      try damage(error, of: key)
    }
    do {
      try await readRecords(of: key)
    } catch {
      try damage(error, of: key)
    }
  }

  private mutating func readRecords(of key: JournalKey) async throws(JournalError) {
    var position = JournalSequence.start
    while true {
      let page = try await journal.remainingRecords(of: key, after: position)
      records += page.records.count
      guard let end = page.records.last?.sequence, end < page.last else { return }
      position = end
      show(Double(end.number) / Double(page.last.number))
    }
  }

  /// Reads each partition by its positions, which name the keys of the records once more.
  private mutating func verifyPartitions() async throws(JournalError) {
    for claim in try await journal.claims() {
      let partition = claim.claim.partition
      var position = JournalPosition.start
      do throws(JournalError) {
        while true {
          let page = try await journal.records(ofPartition: partition, after: position, upTo: 1 << 20)
          guard page.position > position else { break }
          position = page.position
        }
      } catch {
        if error.isTransient { throw error }
        damage("The positions of the stores \(FlagError.quoted(partition.stores)) are damaged. \(error)")
      }
    }
  }

  private mutating func find(_ body: (any CheckedJournal) async throws -> Void) async throws {
    do {
      try await body(journal)
    } catch let error as JournalError where error.code == .corrupt {
      damage("\(error)")
    }
  }

  /// Reports that a key is damaged.
  ///
  /// - Throws: the error if the journal cannot be used now, which is no damage.
  private mutating func damage(_ error: JournalError, of key: JournalKey) throws(JournalError) {
    if error.isTransient { throw error }
    let of = key.stores.map { " of the stores \(FlagError.quoted($0))" } ?? ""
    damage("The key \(FlagError.quoted(key.name))\(of) is damaged. \(error)")
  }

  private mutating func damage(_ sentence: String) {
    damaged += 1
    if shown != nil { line.clear() }
    shown = nil
    report(sentence)
  }

  /// Shows the percentage of the keys that were read.
  ///
  /// - Parameter part: the part of the next key that was read, from 0 to 1.
  private mutating func show(_ part: Double) {
    let percent = min(Int((Double(keys) + part) * 100 / Double(max(total, 1))), 100)
    guard line.isLive, percent != shown else { return }
    shown = percent
    line.show("\(percent) % of \(Self.count(total, "key")) of \(place)")
  }

  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
