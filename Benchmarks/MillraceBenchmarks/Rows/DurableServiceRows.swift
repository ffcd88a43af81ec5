#if SQLite
  import Millrace
  import MillraceJournal

  /// A service whose orders are durable: a store with a journal in a file, and the same by hand.
  let durableServiceRows: [Row] = [64, 1_000].flatMap { callers in
    [
      Row(name: "reference/durable-\(callers)", unit: "cpu ns") { size in
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let log = try GroupCommit(folder.path("log"), hasChecksums: true)
        defer { log.close() }
        let desk = OrderDesk(log)
        let (figure, count) = await orders(of: callers, size) { try? await desk.pay($0) }
        let paid = await desk.paid
        precondition(paid == count)
        return figure
      },
      Row(
        name: "service/durable-\(callers)", unit: "cpu ns", reference: "reference/durable-\(callers)", target: 1.5,
        gate: .severalThreads
      ) { size in
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let journal = try await SQLiteJournal(folder.path("log"))
        let store = try await Store.open(
          initial: Orders.State(), interactor: Orders(), journal: journal, key: "orders", options: .ofBookings)
        let (figure, count) = await orders(of: callers, size) { _ = await store.send(.pay($0)).outcome }
        let paid = await store.state.paid
        precondition(paid == count)
        await store.shutdown()
        await journal.close()
        return figure
      },
    ]
  }

  /// Processor time of an order, and the number of orders; each caller waits for one order before the next one.
  private func orders(
    of callers: Int, _ size: Size, _ pay: @escaping @Sendable (Orders.Order) async -> Void
  ) async -> (figure: Figure, count: Int) {
    let each = max(size.scaled(20_000) / callers, 1)
    let figure = await perItem(callers * each) {
      await withTaskGroup { group in
        for caller in 0..<callers {
          group.addTask {
            for number in 0..<each { await pay(Orders.Order(caller * each + number)) }
          }
        }
      }
    }
    let cpu = Figure(value: figure.cpu ?? .nan, cpu: figure.cpu, allocations: figure.allocations)
    return (cpu, callers * each)
  }
#else
  /// A service whose orders are durable, which builds with the trait SQLite have.
  let durableServiceRows: [Row] = []
#endif
