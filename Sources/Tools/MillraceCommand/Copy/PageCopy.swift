import MillraceFlags
import MillraceJournal

/// The copy of a page of keys, which are all of single stores or all of the same many stores.
///
/// The ends of all logs are read by one call. A log that ends in both journals with the same record is the same log, because a batch is stored behind
/// the records that its writer knows; it is not read again. Small logs that are missing are copied together. All others are copied one by
/// one, as ``KeyCopy`` says.
struct PageCopy: Sendable {
  /// The number of keys of a page.
  static let keyCount = 1_000
  /// The number of other keys that are copied at the same time, so that they share writes to the disk.
  private static let width = 16
  /// The number of records of a log that is copied with others.
  private static let recordsOfLog = 256
  /// The number of records, and the size of their payloads in bytes, behind which no further log is copied with the others.
  private static let (recordsAtOnce, bytesAtOnce) = (8_192, 1 << 23)

  let source: any CheckedJournal
  let target: any CheckedJournal
  /// The places of both, as the subjects of sentences.
  let places: (source: String, target: String)
  let claims: PartitionClaims
  let line: StatusLine

  /// Copies keys, and returns an outcome for each, in no order.
  ///
  /// - Throws: `JournalError` if a journal cannot be used any longer.
  func run(_ keys: [JournalKey]) async throws -> [KeyCopy.Outcome] {
    var outcomes: [KeyCopy.Outcome] = []
    async let ends = source.ends(of: keys)
    let found = try await target.ends(of: keys)
    var (new, others): ([NewLog], [JournalKey]) = ([], [])
    for (key, (end, copied)) in zip(keys, zip(try await ends, found)) {
      if let end, let copied, end.isCopied(by: copied, key) {
        outcomes.append(.present)
      } else if let end, copied?.last == .start, end.isSmall(upTo: Self.recordsOfLog) {
        new.append(NewLog(key: key, end: end))
      } else {
        others.append(key)
      }
    }
    others += try await copy(new, &outcomes)
    return try await withThrowingTaskGroup(of: KeyCopy.Outcome.self) { [outcomes] group in
      var outcomes = outcomes
      for (number, key) in others.enumerated() {
        if number >= Self.width, let outcome = try await group.next() { outcomes.append(outcome) }
        group.addTask { try await copy(of: key).run() }
      }
      while let outcome = try await group.next() { outcomes.append(outcome) }
      return outcomes
    }
  }

  private func copy(of key: JournalKey) -> KeyCopy {
    KeyCopy(key: key, source: source, target: target, places: places, claims: claims, line: line)
  }

  /// A log that the target does not have.
  private struct NewLog {
    let key: JournalKey
    let end: LogEnd
  }

  /// Copies logs that are missing in as few transactions as they fit into, and returns the keys that are to be copied one by one.
  private func copy(_ new: [NewLog], _ outcomes: inout [KeyCopy.Outcome]) async throws -> [JournalKey] {
    var (left, others) = (new[...], [JournalKey]())
    while !left.isEmpty {
      var count: UInt64 = 0
      let part = left.prefix { log in
        count += log.end.last.number
        return count <= Self.recordsAtOnce
      }
      left = left.dropFirst(part.count)
      let logs = try await source.logs(of: part.map(\.key), upTo: Self.bytesAtOnce)
      if logs.isEmpty { others += part.map(\.key) }
      // What did not fit comes with the next ones, and what cannot be read is alone in the end.
      if !logs.isEmpty { left = part.filter { logs[$0.key] == nil } + left }
      let copied = try await store(part.filter { logs[$0.key] != nil }, logs)
      let stored = part.filter { copied.contains($0.key) }
      others += part.filter { logs[$0.key] != nil && !copied.contains($0.key) }.map(\.key)
      outcomes += try await check(stored, logs)
    }
    return others
  }

  /// Stores logs, and returns the keys whose logs were stored whole.
  ///
  /// A log that has grown since its end was read is not stored, because the wake time is that of the end.
  private func store(_ new: [NewLog], _ logs: [JournalKey: [JournalRecord]]) async throws -> Set<JournalKey> {
    var parts: [JournalClaim?: [JournalKeyAppend]] = [:]
    for log in new {
      guard let records = logs[log.key], records.last?.sequence == log.end.last else { continue }
      let batches = KeyCopy.batches(of: records, wake: JournalWake(storedAs: log.end.wake))
      parts[try await claims.claim(of: log.key), default: []].append(
        JournalKeyAppend(batches, to: log.key, after: .start))
    }
    return await withTaskGroup(of: [JournalKey].self) { [target] group in
      for (claim, parts) in parts {
        if let claim {
          group.addTask {
            let results = await target.append(parts, claim: claim)
            return zip(parts, results).compactMap { $1.failure == nil ? $0.key : nil }
          }
        } else {
          for part in parts {
            group.addTask {
              let result = await target.append(part.batches, to: part.key, after: part.last)
              return result.failure == nil ? [part.key] : []
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.formUnion($1) }
    }
  }

  /// Reads logs back, and compares them.
  private func check(_ new: [NewLog], _ logs: [JournalKey: [JournalRecord]]) async throws -> [KeyCopy.Outcome] {
    if new.isEmpty { return [] }
    let keys = new.map(\.key)
    let copies = try await target.logs(of: keys, upTo: .max)
    return zip(new, try await target.ends(of: keys)).map { log, copied in
      let (records, found) = (logs[log.key] ?? [], copies[log.key] ?? [])
      let same = zip(records, found).prefix { $0.isCopied(by: $1) }.count
      if same == records.count, found.count == same, let copied, log.end.isCopied(by: copied, log.key) {
        return .copied(records: records.count, hasSnapshot: false)
      }
      return copy(of: log.key).refusedReadBack(at: JournalSequence(UInt64(same + 1)))
    }
  }
}

extension LogEnd {
  /// Whether a log with this end is copied with others: a log of few records of which none was removed.
  fileprivate func isSmall(upTo count: Int) -> Bool {
    snapshot == nil && removed == .start && last > .start && last.number <= count
  }

  /// Whether the other end is that of a copy of the whole log.
  ///
  /// The copy of a log that was removed, and one with an older or a newer snapshot, are compared as ``KeyCopy`` does.
  fileprivate func isCopied(by copy: LogEnd, _ key: JournalKey) -> Bool {
    guard last == copy.last, wake == copy.wake, let record, let other = copy.record, record.isCopied(by: other) else {
      return false
    }
    return switch (snapshot, copy.snapshot) {
    case (nil, nil): true
    case (let snapshot?, let other?):
      snapshot == other
        && snapshot.checksum != JournalSnapshot.incomplete(through: snapshot.sequence).checksum(of: key)
    default: false
    }
  }
}
