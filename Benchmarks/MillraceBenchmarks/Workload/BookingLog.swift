#if SQLite || Postgres
  import Millrace
  import MillraceJournal

  /// Durable bookings by hand: a state beside its log, under one lock.
  final class BookingLog: @unchecked Sendable {
    private let log: GroupCommit
    private let coder = JSONJournalCoder()
    /// The lock of the log guards it.
    private var state = Bookings.State()

    init(_ log: GroupCommit) { self.log = log }

    /// The number of bookings, when none is under way.
    var count: Int { state.count }

    /// Applies a booking, and returns when it is durable.
    func book(_ booking: Bookings.Booking) async throws {
      let mutation = Bookings.Mutation.booked(booking)
      let entry = try GroupCommit.Entry(2, head: EntryHead.Decided?.none, mutation: mutation, coder)
      await log.append(entry) { Bookings.reduce(into: &state, mutation: mutation) }
    }
  }
#endif
