import Foundation
import MillraceFlags
import MillraceJournal

/// The copy of keys from a journal to another one.
struct JournalCopy {
  /// The number of pages of keys that are copied at the same time.
  private static let pagesAtOnce = 2

  /// The counts of what was copied so far.
  private struct Counts {
    var (copied, present, refused) = (0, 0, 0)
    var (records, snapshots) = (0, 0)

    var all: Int { copied + present + refused }
  }

  private let source: any CheckedJournal
  private let target: any CheckedJournal
  private let places: (source: String, target: String)
  private let command: String
  private let line: StatusLine
  private let report: (String) -> Void

  /// - Parameters:
  ///   - places: the places of both journals as the subjects of sentences.
  ///   - command: the words before the name of a command, for errors.
  ///   - line: shows the progress.
  ///   - report: receives a sentence for each key that is not copied.
  init(
    from source: any CheckedJournal, to target: any CheckedJournal, places: (source: String, target: String),
    command: String, line: StatusLine, report: @escaping (String) -> Void = StandardError.writeLine
  ) {
    (self.source, self.target, self.places) = (source, target, places)
    (self.command, self.line, self.report) = (command, line, report)
  }

  /// Copies keys, and returns a sentence with their number.
  ///
  /// - Parameters:
  ///   - stores: the name of the many stores whose keys are copied; nil for the keys of all stores.
  ///   - prefix: the text with which the names of the keys begin.
  /// - Throws: ``CommandFailure`` once all keys are copied, if some of them could not be; `JournalError` if a journal cannot be used any longer.
  func run(of stores: String?, prefix: String) async throws -> String {
    let total = stores == nil && prefix.isEmpty ? try await source.keyCount() : nil
    let claims = PartitionClaims(of: target)
    var counts = Counts()
    defer { if line.isLive { line.clear() } }
    let pages = PageCopy(source: source, target: target, places: places, claims: claims, line: line)
    try await withThrowingTaskGroup(of: [KeyCopy.Outcome].self) { group in
      var running = 0
      // One page is listed while the one before it is copied.
      func start(_ keys: [JournalKey]) async throws {
        if running == Self.pagesAtOnce, let outcomes = try await group.next() {
          add(outcomes, to: &counts, total)
        } else {
          running += 1
        }
        group.addTask { try await pages.run(keys) }
      }
      for stores in try await names(stores) {
        let lists = JournalLists(journal: source, command: command, place: places.source)
        var keys: [JournalKey] = []
        try await lists.keys(of: stores, prefix: prefix) { key in
          keys.append(key)
          guard keys.count == PageCopy.keyCount else { return }
          try await start(keys)
          keys = []
        }
        if !keys.isEmpty { try await start(keys) }
      }
      while let outcomes = try await group.next() { add(outcomes, to: &counts, total) }
    }
    let sentence = sentence(counts)
    guard counts.refused == 0 else {
      throw CommandFailure(
        "\(sentence) \(JournalVerification.count(counts.refused, "key")) \(counts.refused == 1 ? "was" : "were") not copied.",
        code: EX_DATAERR)
    }
    return sentence
  }

  /// The names of the stores whose keys are copied; nil is that of single stores.
  private func names(_ stores: String?) async throws -> [String?] {
    if let stores { return [stores] }
    return [nil] + (try await source.storesNames())
  }

  /// Counts the outcomes of a page, reports the keys that are not copied, and shows the progress.
  private func add(_ outcomes: [KeyCopy.Outcome], to counts: inout Counts, _ total: Int?) {
    for outcome in outcomes {
      switch outcome {
      case .copied(let records, let hasSnapshot):
        counts.copied += 1
        counts.records += records
        if hasSnapshot { counts.snapshots += 1 }
      case .present: counts.present += 1
      case .refused(let sentence):
        counts.refused += 1
        if line.isLive { line.clear() }
        report(sentence)
      }
    }
    let of = total.map { " of \($0)" } ?? ""
    line.show("key \(counts.all)\(of), \(JournalVerification.count(counts.records, "record")) copied")
  }

  private func sentence(_ counts: Counts) -> String {
    let count = JournalVerification.count
    let present =
      counts.present == 0
      ? "" : "; \(count(counts.present, "key")) \(counts.present == 1 ? "was" : "were") there already"
    guard counts.copied > 0 else { return "Copied nothing to \(places.target)\(present)." }
    return """
      Copied \(count(counts.copied, "key")), \(count(counts.records, "record")) and \(count(counts.snapshots, "snapshot")) to \
      \(places.target), and read them back\(present).
      """
  }
}
