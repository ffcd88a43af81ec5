#if Postgres
  import Foundation
  import Millrace
  import MillraceFlags
  import MillraceJournal
  import MillracePostgres
  import MillraceTerminal

  /// One of the processes that share the orders of a database: it draws ids until one is its own, and handles that order from its placing to its end.
  struct SharedService {
    let database: String
    let schema: String
    let folder: URL
    /// The name of the process, which is its address too.
    let name: String
    let lease: Duration
    /// The wish to end: by a signal, or because nobody reads standard output any longer.
    let stop = StopRequest()

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
      let drainTime = Duration.seconds(10)
      let signals = Signals(stop: stop, limit: drainTime + .seconds(2))
      await withTaskGroup { group in
        group.addTask { await showMembers(of: stores) }
        for _ in 0..<8 { group.addTask { await handleOrders(of: stores) } }
        // The stores end by themselves when another process takes the name of this one.
        group.addTask {
          await stores.run(drainFor: drainTime)
          stop.request()
        }
        await stop.wait()
        group.cancelAll()
      }
      let end = await stores.shutdown(drainFor: drainTime)
      await say("\(end)")
      await journal.close()
      withExtendedLifetime(signals) {}
      if let failure = end.firstFailure { throw failure }
    }

    /// Writes how many partitions the process owns, whenever that changes.
    private func showMembers(of stores: SharedOrders) async {
      guard let shares = stores.shares else { return }
      let lines = shares.values(of: { shares in
        let own = shares.members.first { $0.address == name }?.id
        let count = shares.owners.values.count { $0.member == own && own != nil }
        return "owns \(count) of \(stores.summary.partitions) partitions with \(shares.members.count) members"
      })
      for await line in lines { await say(line) }
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
            await pause()
          }
          continue
        }
        let place = stores.send(.place(.init(id: id, items: ["lamp"])), to: id, key: "place")
        let decision = stores.send(.decide(id, isApproved: true), to: id, key: "decide")
        var isRefused = false
        for (receipt, text) in [(decision, "approved \(id)"), (place, "done \(id)")] {
          let outcome = await receipt.outcome
          await report(outcome, text)
          if outcome.kind != .finished { isRefused = true }
        }
        if isRefused { await pause() }
      }
    }

    /// Waits for a moment after a refusal, so that the next one does not follow at once.
    private func pause() async { try? await Task.sleep(for: .milliseconds(100)) }

    private func report(_ outcome: Outcome, _ text: String) async {
      switch outcome {
      case .finished: await say(text)
      case .failed(let error as JournalError) where error.code == .conflict: await say("fenced: \(error)")
      case let outcome: await say("not \(text): \(outcome)")
      }
    }

    /// Writes a line at once, whether standard output is a terminal or not; where nobody reads it any longer, as behind `head`, the process ends in order.
    private func say(_ text: String) async {
      do {
        try await DescriptorOutput.standard.write("\(name): \(text)\n")
      } catch OutputError.failed(let reason) {
        StandardError.writeLine("orders ends, because standard output cannot be written to: \(reason).")
        stop.request()
      } catch {
        stop.request()
      }
    }
  }
#endif
