#if SQLite || Postgres
  import Millrace
  import MillraceJournal

  /// Accounts, and the bookings that change them: decided at once, or handled.
  struct Bookings: Interactor {
    struct Booking: Codable, Sendable {
      let account: Int
      let cents: Int
      let note: String

      /// The booking with this number.
      init(_ number: Int) {
        account = number & 63
        cents = number
        note = "invoice \(number)"
      }
    }

    struct Account: Codable, Sendable {
      let owner: String
      var cents = 0
    }

    enum Action: Codable, Sendable {
      case book(Booking)
      /// Handled: four entries of a journal.
      case transfer(Booking)
    }

    enum Mutation: Codable, Sendable {
      case booked(Booking)
      case began(account: Int)
    }

    struct State: Codable, Sendable {
      var count = 0
      var total = 0
      var accounts: [Account]

      /// The state before any booking; bookings change the first 64 accounts.
      init(accounts count: Int = 64) {
        accounts = (0..<count).map { Account(owner: "owner \($0)") }
      }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .book(let booking): .mutate(.booked(booking))
      case .transfer: .handle
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      guard case .transfer(let booking) = action else { return .none }
      return Effect { run in
        run.emit(.began(account: booking.account))
        run.emit(.booked(booking))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      guard case .booked(let booking) = mutation else { return }
      state.count += 1
      state.total &+= booking.cents
      state.accounts[booking.account].cents &+= booking.cents
    }
  }

  /// The payload of a journal's entry, by hand.
  struct EntryLine<Head: Codable>: Codable {
    let head: Head
    let mutations: [Bookings.Mutation]
  }

  /// The parts of payloads that differ among the kinds of entries.
  enum EntryHead {
    struct Decided: Codable {}

    struct TakeUp: Codable {
      let action: Bookings.Action
      let key: String
      let isSendersKey: Bool
      let handlesAgain: Bool
    }

    struct OrderTakeUp: Codable {
      let action: Orders.Action
      let key: String
      let isSendersKey: Bool
      let handlesAgain: Bool
      let time: Int64
    }

    struct Emit: Codable {
      let run: UInt64
    }

    struct End: Codable {
      let run: UInt64
      let outcome: String
    }
  }

  extension JournalOptions {
    /// Of all rows: without snapshots, so that a log has all its records.
    static var ofBookings: JournalOptions {
      var options = JournalOptions()
      options.snapshotRecords = .max
      options.snapshotBytes = .max
      return options
    }
  }
#endif
