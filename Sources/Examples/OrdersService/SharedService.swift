#if Postgres
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal
  import MillracePostgres

  /// One of the processes that share the orders of a database: it draws ids until one is its own, and handles that order from its placing to its end.
  struct SharedService {
    let database: String
    let schema: String
    let folder: URL
    /// The name of the process, which is its address too.
    let name: String
    let lease: Duration

    typealias SharedOrders = Stores<Int, Orders>

    /// Handles orders until the process is to stop.
    func run() async throws {
      let (payments, warehouse) = (
        Gateway(folder: folder.appending(path: "payments")), Gateway(folder: folder.appending(path: "warehouse"))
      )
      for gateway in [payments, warehouse] { try gateway.makeFolder() }
      var options = PostgresOptions()
      options.schema = schema
      let journal = try await PostgresJournal(database, options: options)
      var configuration = StoreConfiguration()
      let report = configuration.report
      // An answer of a gateway that comes when the run was fenced is late, and no mistake.
      configuration.report = { if $0.kind != .lateEmit { report($0) } }
      let stores = try await SharedOrders.open(
        name: "orders", journal: journal, address: name, lease: lease, configuration: configuration,
        initial: { _ in Orders.State() },
        interactor: { _ in Orders(payments: payments, warehouse: warehouse) })
      let stop = StopRequest()
      let signals = Signals(stop: stop)
      await withTaskGroup { group in
        group.addTask { await showMembers(of: stores) }
        for _ in 0..<8 { group.addTask { await handleOrders(of: stores) } }
        await stop.wait()
        group.cancelAll()
      }
      say("\(await stores.shutdown(drainFor: .seconds(10)))")
      await journal.close()
      withExtendedLifetime(signals) {}
    }

    /// Writes how many partitions the process owns, whenever that changes.
    private func showMembers(of stores: SharedOrders) async {
      guard let shares = stores.shares else { return }
      let lines = shares.values(of: { shares in
        let own = shares.members.first { $0.address == name }?.id
        let count = shares.owners.values.count { $0.member == own && own != nil }
        return "owns \(count) of \(stores.summary.partitions) partitions with \(shares.members.count) members"
      })
      for await line in lines { say(line) }
    }

    private func handleOrders(of stores: SharedOrders) async {
      var refused = 0
      while !Task.isCancelled {
        let id = Int.random(in: 1...1_000_000_000)
        guard stores.owner(of: id)?.address == name else {
          refused += 1
          // It may own nothing at the moment.
          if refused.isMultiple(of: 100) {
            _ = try? await stores.shares?.wait { shares in
              shares.owners.keys.contains { shares.owner(of: $0)?.address == name }
            }
          }
          continue
        }
        let place = stores.send(.place(.init(id: id, items: ["lamp"])), to: id, key: "place \(id)")
        let decision = stores.send(.decide(id, isApproved: true), to: id, key: "decide \(id)")
        report(await decision.outcome, "approved \(id)")
        report(await place.outcome, "done \(id)")
      }
    }

    private func report(_ outcome: Outcome, _ text: String) {
      switch outcome {
      case .finished: say(text)
      case .failed(let error as JournalError) where error.code == .conflict: say("fenced: \(error)")
      case let outcome: say("not \(text): \(outcome)")
      }
    }

    /// Writes a line at once, whether standard output is a terminal or not.
    private func say(_ text: String) { FileHandle.standardOutput.write(Data("\(name): \(text)\n".utf8)) }
  }
#endif
