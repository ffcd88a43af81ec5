#if SQLite || Postgres
  import Millrace
  import MillraceJournal

  /// The part of a snapshot's payload that is read by hand.
  struct SnapshotLine: Codable {
    let state: Bookings.State
  }

  /// Opens stores of bookings in a journal.
  func bookings(in journal: any PartitionedJournal, live: Int = 10_000) async throws -> Stores<String, Bookings> {
    try await Stores<String, Bookings>.open(
      name: "bookings", journal: journal, limits: StoresLimits(live: live), options: .ofBookings,
      initial: { _ in Bookings.State(accounts: 28) }, interactor: { _ in Bookings() })
  }

  /// Books 101 times for each of these keys, which hibernate then: each has a snapshot of about 1 KiB and no record behind it.
  func makeCold(_ keys: [String], in stores: Stores<String, Bookings>) async {
    await withTaskGroup { group in
      for key in keys {
        group.addTask {
          let actions = repeatElement(Bookings.Action.book(Bookings.Booking(0)), count: 101)
          for action in actions.dropLast() { stores.send(action, to: key) }
          _ = await stores.send(.book(Bookings.Booking(0)), to: key).outcome
          while await !stores.hibernate(key) {}
        }
      }
    }
  }
#endif
