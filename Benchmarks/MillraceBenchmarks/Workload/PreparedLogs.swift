#if SQLite
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal

  /// The logs that rounds read; each is written once.
  actor PreparedLogs {
    static let shared = PreparedLogs()

    /// A log in a journal that stays open.
    struct Log: Sendable {
      let journal: SQLiteJournal
      let path: String
      let bookings: Int
    }

    private struct Name: Hashable {
      let isHandled: Bool
      let bookings: Int
    }

    private var logs: [Name: Task<Log, any Error>] = [:]

    /// A log of this many bookings, each handled, with four records, or decided, with one.
    func log(of bookings: Int, isHandled: Bool) async throws -> Log {
      let name = Name(isHandled: isHandled, bookings: bookings)
      let task = logs[name] ?? Task { @concurrent in try await Self.write(bookings, isHandled: isHandled) }
      logs[name] = task
      return try await task.value
    }

    private static func write(_ bookings: Int, isHandled: Bool) async throws -> Log {
      let path = try TemporaryFolder().path("journal")
      let journal = try await SQLiteJournal(path)
      let store = try await Store.open(
        initial: Bookings.State(), interactor: Bookings(), journal: journal, key: "bookings",
        options: .ofBookings)
      let records = isHandled ? bookings * 4 : bookings
      var reported = ContinuousClock.now
      for start in stride(from: 0, to: bookings, by: 1_000) {
        let end = min(start + 1_000, bookings)
        let batch = (start..<end).map { Bookings.Booking($0) }
        _ = await store.send(contentsOf: batch.map { isHandled ? .transfer($0) : .book($0) }).outcomes
        if ContinuousClock.now - reported > .seconds(2) {
          reported = .now
          StandardError.writeLine("Writing a log of \(records) records: \(end * 100 / bookings) %.")
        }
      }
      let count = await store.state.count
      precondition(count == bookings)
      return Log(journal: journal, path: path, bookings: bookings)
    }
  }
#endif
