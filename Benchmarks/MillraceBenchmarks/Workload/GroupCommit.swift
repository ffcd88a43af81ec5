#if SQLite
  import Foundation
  import MillraceJournal

  /// A durable log by hand: a thread stores all bookings that wait in one transaction, and resumes their callers after it.
  final class GroupCommit: @unchecked Sendable {
    private struct Waiting {
      let payload: Data
      let caller: UnsafeContinuation<Void, Never>
    }

    /// Guards the properties below.
    private let condition = NSCondition()
    private var state = Bookings.State()
    private var waiting: [Waiting] = []
    private var isClosed = false

    private let coder: any JournalCoder

    /// Makes the file of a log, and starts its thread.
    init(_ path: String, coder: any JournalCoder) throws {
      self.coder = coder
      let database = try PlainDatabase(path)
      try database.makeTables()
      nonisolated(unsafe) let handedOver = database
      Thread.detachNewThread { self.run(handedOver) }
    }

    /// The number of bookings.
    var count: Int { condition.withLock { state.count } }

    /// Applies a booking, and returns when it is durable.
    func book(_ booking: Bookings.Booking) async throws {
      let mutation = Bookings.Mutation.booked(booking)
      let payload = try coder.encode(EntryLine(head: EntryHead.Decided(), mutations: [mutation]))
      await withUnsafeContinuation { caller in
        condition.withLock {
          Bookings.reduce(into: &state, mutation: mutation)
          waiting.append(Waiting(payload: payload, caller: caller))
          // The thread takes all bookings at once.
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

    private func run(_ database: PlainDatabase) {
      var last = 0
      while let bookings = take() {
        do {
          try database.transaction {
            for booking in bookings {
              last += 1
              try database.insert(booking.payload, at: last)
            }
            try database.setLast(last)
          }
        } catch {
          fatalError("\(error)")
        }
        for booking in bookings { booking.caller.resume() }
      }
    }

    /// Blocks until bookings wait, and takes them all; nil when the log is closed.
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
#endif
