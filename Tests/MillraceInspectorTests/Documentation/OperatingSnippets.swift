#if Inspector
  import Foundation
  import Millrace
  import MillraceInspector
  import MillraceJournal
  import MillraceTesting
  import Testing

  /// The snippets of docs/operating.md, as they stand there.
  @Suite("Snippets of operating", .timeLimit(.minutes(1)))
  struct OperatingSnippets {
    private let gate = Gate()

    @Test("A service shows its store")
    func embed() async throws {
      let store = Store(initial: [], interactor: Orders(gate: gate))
      func serve() async throws -> Inspector {
        // snippet.embed
        let inspector = try Inspector(port: 0)  // 8080 in a service.
        inspector.show(store, as: "orders")
        // snippet.end
        return inspector
      }
      let inspector = try await serve()
      #expect(inspector.port.map { $0 > 0 } == true)
      await inspector.close()
    }

    @Test("A service shows that it opens its store, its own checks and metrics, and stops in order")
    func life() async throws {
      let journal = MemoryJournal()
      let interactor = Orders(gate: gate)
      let inspector = try Inspector(port: 0)
      let (bank, queue) = (Recorder<String>(), Recorder<Int>())
      func openStore() async throws -> Store<Orders> {
        // snippet.opening
        inspector.opening("orders")
        let store = try await Store.open(
          initial: [], interactor: interactor, journal: journal, key: "orders",
          progress: { inspector.opening("orders", at: $0.sequence.number, of: $0.last.number) })
        inspector.show(store, as: "orders")
        // snippet.end
        return store
      }
      let store = try await openStore()
      func extend() {
        // snippet.own
        inspector.addCheck("bank") {
          if let failure = bank.recorded.last { throw BankFailure(text: failure) }
        }
        inspector.addMetrics { [.gauge("shop_queue", Double(queue.recorded.count), help: "Letters to send.")] }
        // snippet.end
      }
      extend()
      func stop() async {
        // snippet.stop
        await inspector.beginShutdown(delay: .zero)  // A few seconds, where a load balancer asks.
        await store.shutdown(drainFor: .seconds(20))
        await inspector.close()
        // snippet.end
      }
      await stop()
      #expect(await store.metrics.isShuttingDown)
    }

    @Test("A service under systemd says when it is ready, and that it lives")
    func systemd() async {
      // snippet.systemd
      let manager = ServiceManager()  // nil without systemd.
      manager?.ready(status: "serving orders")
      let watchdog = Task { await manager?.keepAlive() }
      // …
      manager?.stopping()
      watchdog.cancel()
      // snippet.end
      await watchdog.value
    }
  }

  private struct BankFailure: Error { let text: String }
#endif
