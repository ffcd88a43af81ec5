#if SQLite
  import Foundation
  import Millrace
  import MillraceJournal

  /// The service on the journal and the gateways of a folder: two orders, of which one is approved.
  struct Service {
    let folder: URL

    var payments: Gateway { Gateway(folder: folder.appending(path: "payments")) }
    var warehouse: Gateway { Gateway(folder: folder.appending(path: "warehouse")) }

    /// The requests that the gateways have done when both orders are done.
    static let requests = [
      "charge order 1", "charge order 2", "refund order 2", "ship desk of order 1", "ship lamp of order 1",
    ]

    /// The requests that the gateways have done.
    var done: [String] { get throws { try (payments.done + warehouse.done).sorted() } }

    /// Handles the orders until both have ended, and kills the process at `point`: `before:N` or `after:N`, a record of this process.
    func run(killingAt point: String?) async throws {
      for gateway in [payments, warehouse] { try gateway.makeFolder() }
      let file = try await SQLiteJournal(folder.appending(path: "journal").path)
      let journal: any Journal = point.map { KillingJournal(file, at: $0) } ?? file
      let store = try await Store.open(
        initial: Orders.State(), interactor: Orders(payments: payments, warehouse: warehouse), journal: journal,
        key: "orders")
      // A client sends with keys until it has its answer, so each process sends all of them.
      let orders = [
        store.send(.place(.init(id: 1, items: ["lamp", "desk"])), key: "order 1"),
        store.send(.place(.init(id: 2, items: ["chair"])), key: "order 2"),
      ]
      _ = try await store.wait { $0.receipts.count == 2 }
      let decisions = [
        store.send(.decide(1, isApproved: true), key: "decision 1"),
        store.send(.decide(2, isApproved: false), key: "decision 2"),
      ]
      for receipt in orders + decisions {
        let outcome = await receipt.outcome
        guard outcome.kind == .finished else { throw Failure(description: "An order did not finish: \(outcome)") }
      }
      let state = await store.state
      guard state.shipped == [1: ["lamp", "desk"]], state.refunded == [2] else {
        throw Failure(description: "This is not the state of two orders: \(state).")
      }
      await store.shutdown(drainFor: .seconds(10))
      await journal.close()
    }
  }

  /// A journal that stores one record at a time, and kills the process at one of them.
  private actor KillingJournal: Journal {
    private let base: SQLiteJournal
    private let point: String
    private var count = 0

    nonisolated let largestBatch: Int

    init(_ base: SQLiteJournal, at point: String) {
      (self.base, self.point, largestBatch) = (base, point, base.largestBatch)
    }

    func append(
      _ batches: [JournalBatch], to key: JournalKey, after last: JournalSequence
    ) async -> JournalAppend {
      var (stored, last) = (0, last)
      for batch in batches {
        count += 1
        if point == "before:\(count)" { kill(getpid(), SIGKILL) }
        let result = await base.append([batch], to: key, after: last)
        if result.stored == 0 { return JournalAppend(stored: stored, last: last, failure: result.failure) }
        if point == "after:\(count)" { kill(getpid(), SIGKILL) }
        (stored, last) = (stored + 1, result.last)
      }
      return JournalAppend(stored: stored, last: last)
    }

    func records(
      of key: JournalKey, after sequence: JournalSequence, upTo byteCount: Int
    ) async throws(JournalError) -> JournalPage {
      try await base.records(of: key, after: sequence, upTo: byteCount)
    }

    func lastSequence(of key: JournalKey) async throws(JournalError) -> JournalSequence {
      try await base.lastSequence(of: key)
    }

    func snapshot(of key: JournalKey) async throws(JournalError) -> JournalSnapshot? {
      try await base.snapshot(of: key)
    }

    func store(
      _ snapshot: JournalSnapshot, of key: JournalKey, truncatingBefore time: Int64?, keeping byteCount: Int
    ) async throws(JournalError) -> JournalSequence {
      try await base.store(snapshot, of: key, truncatingBefore: time, keeping: byteCount)
    }

    func truncate(_ key: JournalKey, through sequence: JournalSequence, before time: Int64, keeping byteCount: Int)
      async throws(JournalError)
      -> JournalSequence
    {
      try await base.truncate(key, through: sequence, before: time, keeping: byteCount)
    }

    func keys(after key: JournalKey?) async throws(JournalError) -> [JournalKey] { try await base.keys(after: key) }

    func changes() async throws(JournalError) -> AsyncStream<Void> { try await base.changes() }

    func close() async { await base.close() }
  }
#endif
