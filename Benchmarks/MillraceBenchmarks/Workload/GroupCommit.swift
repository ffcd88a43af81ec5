#if SQLite || Postgres
  import Foundation
  import MillraceEntries
  import MillraceJournal

  /// A record of a log by hand.
  struct PlainRecord {
    let entry: GroupCommit.Entry
    let sequence: Int
    /// Nil for a number in its place.
    let checksum: Int64?
  }

  /// A log by hand, which one thread uses.
  protocol RecordTable: AnyObject {
    /// Stores records behind the last one in one transaction, which is durable when this returns.
    func store(_ records: [PlainRecord]) throws
  }

  /// A durable log by hand: a thread stores all entries that wait in one transaction, and resumes their callers after it.
  final class GroupCommit: @unchecked Sendable {
    /// An entry of a log, encoded.
    struct Entry {
      let kind: Int
      let payload: [UInt8]
    }

    private struct Waiting {
      let entry: Entry
      /// The entry that has to be durable with the first one.
      let next: Entry?
      let caller: UnsafeContinuation<Void, Never>
    }

    /// Guards the properties below.
    private let condition = NSCondition()
    private var waiting: [Waiting] = []
    private var isClosed = false

    private let hasChecksums: Bool

    /// Starts the thread of a log.
    ///
    /// - Parameters:
    ///   - table: The log, which has this number of records.
    ///   - hasChecksums: Whether each record has a checksum of itself and of the one before; otherwise a number in its place.
    init(_ table: any RecordTable, after last: Int = 0, hasChecksums: Bool) {
      self.hasChecksums = hasChecksums
      nonisolated(unsafe) let handedOver = table
      Thread.detachNewThread { self.run(handedOver, after: last) }
    }

    /// Returns when one entry, or two, are durable; `whileLocked` is called before, in the order of the log.
    func append(_ entry: Entry, _ next: Entry? = nil, whileLocked body: () -> Void = {}) async {
      await withUnsafeContinuation { caller in
        condition.withLock {
          body()
          waiting.append(Waiting(entry: entry, next: next, caller: caller))
          // The thread takes all entries at once.
          if waiting.count == 1 { condition.signal() }
        }
      }
    }

    /// Ends the thread; nothing waits then.
    func close() {
      condition.withLock {
        isClosed = true
        condition.signal()
      }
    }

    private func run(_ table: any RecordTable, after start: Int) {
      var (last, chain) = (start, Checksum())
      func record(_ entry: Entry) -> PlainRecord {
        last += 1
        if hasChecksums {
          // As many numbers as a record has beside its payload.
          for number in [last, last, last, entry.kind, 1, last, entry.payload.count] { chain.add(UInt64(number)) }
          entry.payload.withUnsafeBytes { chain.add($0) }
        }
        return PlainRecord(
          entry: entry, sequence: last, checksum: hasChecksums ? Int64(bitPattern: chain.value) : nil)
      }
      while let entries = take() {
        var records: [PlainRecord] = []
        for waiting in entries {
          records.append(record(waiting.entry))
          if let next = waiting.next { records.append(record(next)) }
        }
        do {
          try table.store(records)
        } catch {
          fatalError("\(error)")
        }
        for waiting in entries { waiting.caller.resume() }
      }
    }

    /// Blocks until entries wait, and takes them all; nil when the log is closed.
    private func take() -> [Waiting]? {
      condition.withLock {
        while waiting.isEmpty {
          if isClosed { return nil }
          condition.wait()
        }
        defer { waiting = [] }
        return waiting
      }
    }
  }

  extension GroupCommit.Entry {
    /// Puts a payload together of its parts, as a store does for JSON.
    ///
    /// - Parameter head: nil for an object without properties.
    init<Head: Encodable, Mutation: Encodable>(
      _ kind: Int, head: Head?, mutation: Mutation?, _ coder: some JournalCoder
    ) throws {
      var bytes = Array(#"{"head":"#.utf8)
      if let head { bytes += try coder.encode(head) } else { bytes += "{}".utf8 }
      bytes += #","mutations":["#.utf8
      if let mutation { bytes += try coder.encode(mutation) }
      bytes += "]}".utf8
      self.init(kind: kind, payload: bytes)
    }
  }
#endif
