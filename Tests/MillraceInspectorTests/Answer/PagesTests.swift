import Foundation
import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@testable import MillraceInspector

@Suite("Pages of an inspector", .timeLimit(.minutes(1)))
struct PagesTests {
  private let clock = TestClock()
  private let gate = Gate()

  private func pages(_ change: (inout InspectorOptions) -> Void = { _ in }) -> Pages {
    var options = InspectorOptions()
    options.clock = clock
    change(&options)
    return Pages(options)
  }

  private func store() -> Store<Orders> {
    Store(initial: [], interactor: Orders(gate: gate), configuration: StoreConfiguration(clock: clock))
  }

  @Test("A process without a store is alive, and neither started nor ready")
  func nothingShown() async {
    let pages = pages()
    #expect(await ask(pages, "/livez") == (200, "ok\n"))
    #expect(await ask(pages, "/startupz") == (503, "[-]stores: no store is shown yet\nstartupz failed\n"))
    #expect(
      await ask(pages, "/readyz")
        == (503, "[+]shutdown ok\n[-]stores: no store is shown yet\nreadyz failed\n"))
  }

  @Test("Many stores are shown as one, without keys as labels, and their runs have their keys")
  func manyStores() async throws {
    let pages = pages()
    let stores = Stores<String, Orders>.inMemory(
      name: "orders", configuration: StoreConfiguration(clock: clock), initial: { _ in [] },
      interactor: { [gate] _ in Orders(gate: gate) })
    pages.show(ShownStore(stores, name: "orders"))
    for key in ["first key", "second key"] { stores.send(.place(1), to: key) }
    try await gate.waitForArrivals(2)
    #expect(await ask(pages, "/readyz").status == 200)
    let metrics = await ask(pages, "/metrics").body
    for line in [
      #"millrace_actions_sent_total{store="orders"} 2"#, #"millrace_actions_in_flight{store="orders"} 2"#,
      #"millrace_keys_live{store="orders"} 2"#, #"millrace_keys_pinned{store="orders"} 0"#,
      #"millrace_keys_opening{store="orders"} 0"#, #"millrace_keys_hibernating{store="orders"} 0"#,
      #"millrace_keys_waiting{store="orders"} 0"#, #"millrace_keys_opened_total{store="orders"} 2"#,
      #"millrace_keys_failed_total{store="orders"} 0"#, #"millrace_keys_hibernated_total{store="orders"} 0"#,
      #"millrace_keys_refused_total{store="orders"} 0"#, #"millrace_members{store="orders"} 1"#,
      #"millrace_partitions{store="orders"} 0"#, #"millrace_partitions_owned{store="orders"} 0"#,
      #"millrace_lost_partitions_total{store="orders"} 0"#,
    ] { #expect(metrics.contains(line + "\n"), "\(line)") }
    #expect(!metrics.contains("first key"))
    let runs = await ask(pages, "/runs").body
    for key in ["first key", "second key"] { #expect(runs.contains("\"storeKey\":\"\(key)\"")) }
    gate.open()
    await stores.shutdown(drainFor: .seconds(10))
    #expect(await ask(pages, "/readyz").status == 503)
  }

  @Test("A process whose lease has ended is not ready, because others take its keys")
  func endedLease() async {
    let (pages, store) = (pages(), store())
    let ends = Recorder<Bool>()
    pages.show(
      ShownStore(
        name: "orders", metrics: { await store.metrics }, openRuns: { _ in [] }, isMember: { ends.recorded.isEmpty })
    )
    #expect(await ask(pages, "/readyz").status == 200)
    ends.record(true)
    let answer = await ask(pages, "/readyz")
    #expect(answer.status == 503 && answer.body.contains("its lease has ended, so other processes take its keys"))
  }

  @Test("D6: A process whose journal has lost records stays ready, and names the partitions")
  func lostRecords() async {
    let (pages, store) = (pages(), store())
    let losses = [7, 3].map { number in
      JournalLoss(of: JournalPartition(of: "orders", number: number), known: 9, found: 4, claim: nil)
    }
    let newest = Dictionary(uniqueKeysWithValues: losses.map { ($0.partition.number, $0) })
    pages.show(
      ShownStore(
        name: "orders", metrics: { await store.metrics }, openRuns: { _ in [] },
        losses: { JournalLosses(count: 3, newest: newest) }))
    #expect(await ask(pages, "/readyz") == (200, "ok\n"))
    #expect(
      await ask(pages, "/readyz", [("verbose", nil)]).body.contains(
        "[+]store-orders: records of partitions 3, 7 were lost\n"))
  }

  @Test("An opening fails startup and readiness with its progress, until the store is shown")
  func opening() async {
    let pages = pages()
    pages.show(ShownStore(store(), name: "carts"))
    pages.note("begins to open", ofOpening: "orders")
    pages.note("has read record 2 of 9", ofOpening: "orders")
    #expect(
      await ask(pages, "/startupz")
        == (503, "[-]opening-orders: has read record 2 of 9\n[+]stores ok\nstartupz failed\n"))
    #expect(await ask(pages, "/readyz").status == 503)
    pages.note("begins to open", ofOpening: "gone")
    pages.hide("gone")
    pages.show(ShownStore(store(), name: "orders"))
    pages.note("has read record 9 of 9", ofOpening: "orders")
    #expect(await ask(pages, "/startupz") == (200, "ok\n"))
    #expect(await ask(pages, "/readyz") == (200, "ok\n"))
  }

  @Test("Readiness fails first in a shutdown, and for a store that is shut down")
  func shutdown() async {
    let (pages, store) = (pages(), store())
    pages.show(ShownStore(store, name: "orders"))
    #expect(await ask(pages, "/readyz", [("verbose", nil)]).body.hasSuffix("[+]store-orders ok\nreadyz ok\n"))
    await store.shutdown()
    #expect(await ask(pages, "/readyz").body.contains("[-]store-orders: it is shut down\n"))
    pages.hide("orders")
    pages.show(ShownStore(self.store(), name: "carts"))
    #expect(await ask(pages, "/readyz").status == 200)
    pages.stop()
    #expect(await ask(pages, "/readyz").body.hasPrefix("[-]shutdown: the process is asked to stop\n"))
    for path in ["/livez", "/startupz"] { #expect(await ask(pages, path).status == 200) }
  }

  @Test("A check fails with its error or by its limit, and can be left out; an unknown name is an error")
  func checks() async throws {
    let (pages, hanging) = (pages(), Gate())
    pages.show(ShownStore(store(), name: "orders"))
    pages.add(HealthCheck(name: "bank") { throw HealthFailure(description: "no route") })
    pages.add(HealthCheck(name: "fine") { "3 of 4 replicas" })
    #expect(await ask(pages, "/readyz").body.contains("[-]bank: no route\n[+]fine: 3 of 4 replicas\n"))
    #expect(await ask(pages, "/readyz", [("exclude", "bank")]) == (200, "ok\n"))
    let unknown = await ask(pages, "/readyz", [("exclude", "bank"), ("exclude", "banks")])
    #expect(unknown == (400, "No check has the name 'banks'; these are: shutdown, stores, store-orders, bank, fine.\n"))
    pages.add(
      HealthCheck(name: "bank") {
        try? await hanging.enter()
        return nil
      })
    async let answer = ask(pages, "/readyz")
    try await hanging.waitForArrivals(1)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(2))
    let body = await answer.body
    #expect(body.contains("[-]bank: no answer within 2.0 seconds\n[+]fine: 3 of 4 replicas\n"))
  }

  @Test(
    "Readiness follows the journal: failed, unavailable, or with half of its buffer full",
    arguments: [
      (Metrics.Journal(state: .writable, bufferedBytes: 49, bufferLimit: 100), nil),
      (Metrics.Journal(state: .writable, bufferedBytes: 50, bufferLimit: 100), "50 of 100 bytes wait for its journal"),
      (Metrics.Journal(state: .unavailable, bufferLimit: 100), "its journal is unavailable"),
      (Metrics.Journal(state: .failed, bufferLimit: 100), "its journal has failed"),
    ] as [(Metrics.Journal, String?)])
  func journal(journal: Metrics.Journal, failure: String?) {
    var found: String?
    do { try ShownStore.checkReadiness(isShuttingDown: journal.state == .failed, journal) } catch { found = "\(error)" }
    #expect(found == failure)
  }

  @Test("The metrics of all stores are one text, with those of the process and of the program")
  func metrics() async {
    let pages = pages {
      $0.labels = ["site": "north"]
      $0.metricsPrefix = "shop"
      $0.version = "1.2"
    }
    pages.show(ShownStore(store(), name: "carts"))
    pages.show(ShownStore(store(), name: "orders"))
    pages.add { [.gauge("beds", 7, help: "Beds.")] }
    let (status, body) = await ask(pages, "/metrics")
    #expect(status == 200 && body.hasSuffix("# EOF\n"))
    let lines = body.split(separator: "\n").map(String.init)
    for store in ["carts", "orders"] {
      #expect(lines.contains(#"shop_actions_sent_total{site="north",store="\#(store)"} 0"#))
    }
    #expect(lines.filter { $0 == "# TYPE shop_actions_sent counter" }.count == 1)
    #expect(lines.contains(#"shop_build_info{site="north",version="1.2"} 1"#))
    #expect(lines.contains(#"beds{site="north"} 7"#) && lines.contains(#"shop_ready{site="north"} 1"#))
    pages.stop()
    #expect(await ask(pages, "/metrics").body.contains("shop_ready{site=\"north\"} 0\n"))
    for name in [
      "process_cpu_seconds_total", "process_max_fds", "process_open_fds", "process_threads",
      "process_virtual_memory_bytes", "process_resident_memory_bytes", "process_start_time_seconds",
    ] {
      let line = lines.first { $0.hasPrefix(name + "{") }
      #expect(line.flatMap { Double($0.split(separator: " ")[1]) }.map { $0 > 0 } == true, "\(name)")
    }
  }

  @Test("Metrics without a prefix have names that begin with no underscore")
  func noPrefix() async {
    let pages = pages { $0.metricsPrefix = "" }
    pages.show(ShownStore(store(), name: "orders"))
    let lines = await ask(pages, "/metrics").body.split(separator: "\n")
    #expect(lines.contains("ready 1") && lines.contains(#"store_up{store="orders"} 1"#))
    #expect(!lines.contains { $0.hasPrefix("_") })
  }

  @Test("The open runs are JSON, stuck and old ones first, by store and up to a limit; a token is asked for if set")
  func runs() async throws {
    let pages = pages { $0.token = "t" }
    let (carts, orders) = (store(), store())
    pages.show(ShownStore(carts, name: "carts"))
    pages.show(ShownStore(orders, name: "orders"))
    let first = orders.send(.place(1))
    try await gate.waitForArrivals(1)
    clock.advance(by: .seconds(3))
    carts.send(.place(2))
    try await gate.waitForArrivals(2)
    #expect(await ask(pages, "/runs").status == 401)

    func list(_ query: [(name: String, value: String?)]) async throws -> [Document.Run] {
      let (status, body) = await ask(pages, "/runs", query, token: "t")
      #expect(status == 200)
      return try JSONDecoder().decode(Document.self, from: Data(body.utf8)).runs
    }
    let all = try await list([])
    #expect(all.map(\.store) == ["orders", "carts"])
    let run = try #require(all.first { $0.store == "orders" })
    #expect(run.id == "\(first.id)" && run.action == "place(1)" && run.attempt == 1)
    #expect(run.stage == "running" && run.doing == "runs" && !run.key.isEmpty && run.deaths == 0)
    #expect(try await list([("store", "carts")]).map(\.action) == ["place(2)"])
    #expect(try await list([("limit", "1")]).map(\.action) == ["place(1)"])
    #expect(!run.stuck && run.plan == "order")
    clock.advance(by: .seconds(28))
    #expect(try await list([]).map(\.stuck) == [true, false])
    #expect(
      await ask(pages, "/runs", [("store", "cart")], token: "t")
        == (404, "No store is shown as 'cart'; these are: carts, orders.\n"))
    for limit in ["0", "-1", "10001", "x", ""] {
      #expect(await ask(pages, "/runs", [("limit", limit)], token: "t").status == 400)
    }
  }

  @Test("A store that does not answer is left out of the metrics and the runs, and named there")
  func stuckStore() async throws {
    let (pages, gate) = (pages(), Gate())
    let stuck = ShownStore(
      name: "stuck",
      metrics: {
        await gate.enterIgnoringCancellation()
        return await Store(initial: [], interactor: Orders(gate: gate)).metrics
      },
      openRuns: { _ in
        await gate.enterIgnoringCancellation()
        return []
      })
    pages.show(ShownStore(store(), name: "orders"))
    pages.show(stuck)
    async let metrics = ask(pages, "/metrics")
    async let runs = ask(pages, "/runs")
    try await gate.waitForArrivals(2)
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(2))
    let text = await metrics.body
    #expect(
      text.contains(#"millrace_store_up{store="orders"} 1"#) && text.contains(#"millrace_store_up{store="stuck"} 0"#))
    #expect(text.contains(#"millrace_commits_total{store="orders"}"#))
    #expect(!text.contains(#"millrace_commits_total{store="stuck"}"#))
    #expect(await runs.body == "{\"runs\":[],\"unanswered\":[\"stuck\"]}\n")
    gate.open()
  }

  @Test("A path that is none is answered with those that there are; the paths are case-sensitive")
  func paths() async {
    let pages = pages()
    #expect(await ask(pages, "/").body.contains("/readyz"))
    for path in ["/Livez", "/livez/", "", "//", "/metrics.json", "/..", "*"] {
      let (status, body) = await ask(pages, path)
      #expect(status == 404 && body.hasPrefix("There is no page '\(path)'.\n/livez"))
    }
  }
}

/// The document of `/runs`, as a client reads it.
private struct Document: Decodable {
  struct Run: Decodable {
    let store, id, action, key, stage, doing: String
    let attempt, deaths: Int
    let plan: String?
    let stuck: Bool
  }

  let runs: [Run]
}
