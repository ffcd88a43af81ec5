#if SQLite || Postgres
  import Millrace

  /// The number of actions of each sender.
  func appends(_ size: Size, _ senders: Int) -> Int {
    switch size {
    case .full: senders == 1 ? 300 : senders == 8 ? 100 : 20
    case .short: senders == 1 ? 50 : senders == 8 ? 20 : 5
    case .quick: senders == 1 ? 8 : senders == 8 ? 4 : 1
    }
  }

  /// Nanoseconds a booking, of tasks that each wait for one booking before the next one.
  func bookings(
    of senders: Int, _ each: Int, _ book: @escaping @Sendable (Bookings.Booking) async -> Void
  ) async -> Figure {
    await perItem(senders * each) {
      await withTaskGroup { group in
        for sender in 0..<senders {
          group.addTask {
            for number in 0..<each { await book(Bookings.Booking(sender * each + number)) }
          }
        }
      }
    }
  }

  /// Nanoseconds a send of tasks that each wait for one before the next one.
  func sends(_ senders: Int, _ size: Size, _ send: @escaping @Sendable (Int) async -> Outcome) async -> Figure {
    let each = size == .quick ? 1 : 20
    return await perItem(senders * each) {
      await withTaskGroup { group in
        for sender in 0..<senders {
          group.addTask {
            for number in 0..<each {
              let outcome = await send(sender * each + number)
              precondition(outcome.kind == .finished)
            }
          }
        }
      }
    }
  }
#endif
