import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/metrics.md, as they stand there.
enum MetricsSnippets {
  typealias Stock = GettingStarted.Stock

  protocol Log: Sendable {
    func error(_ text: String)
    func critical(_ text: String)
  }

  static func look(_ store: Store<Stock>, _ print: (Any...) -> Void) async {
    // snippet.metrics
    let metrics = await store.metrics
    print(metrics.inFlight, metrics.waiting, metrics.handleTime)
    // snippet.end
  }

  static func list(_ store: Store<Stock>, _ print: (Any...) -> Void) async {
    // snippet.openRuns
    var page = await store.openRuns(limit: 1_000)
    while let last = page.last {
      for run in page { print(run.id, run.action as Any, run.stage, run.age as Any, run.lastStep as Any) }
      page = await store.openRuns(limit: 1_000, after: last.id)
    }
    // snippet.end
  }

  struct Endpoint {
    // snippet.metricsPage
    func metricsPage(of store: Store<Stock>) async -> (type: String, body: String) {
      (
        "application/openmetrics-text; version=1.0.0; charset=utf-8",
        await store.metrics.openMetrics(prefix: "stock", labels: ["site": "north"])
      )
    }
    // snippet.end
  }

  struct SeveralStores {
    // snippet.severalStores
    func metricsPage(of shops: [String: Store<Stock>]) async -> String {
      var stores: [(labels: [String: String], metrics: Metrics)] = []
      for (name, store) in shops.sorted(by: { $0.key < $1.key }) {
        stores.append((["store": name], await store.metrics))
      }
      return Metrics.openMetrics(of: stores, prefix: "stock", labels: ["site": "north"])
    }
    // snippet.end
  }

  struct OwnMetrics {
    // snippet.page
    func page(of store: Store<Stock>, _ deliveries: Histogram) async -> String {
      let (metrics, state) = await (store.metrics, store.state)
      var own: [Metrics.Series] = [
        .gauge("stock_orders_open", state.isOrdering ? 1 : 0, help: "Orders that were not delivered."),
        .histogram("stock_delivery_time", deliveries, help: "Time from an order to its delivery."),
      ]
      for (item, count) in state.counts.sorted(by: { $0.key < $1.key }) {
        own.append(.gauge("stock_items", Double(count), labels: ["item": item], help: "Items in stock."))
      }
      return metrics.openMetrics(prefix: "stock", labels: ["site": "north"], adding: own)
    }
    // snippet.end
  }

  @discardableResult
  static func send(_ store: Store<Stock>, _ traceparent: String) -> Receipt {
    // snippet.log-handler
    store.send(.order("apples", count: 10), context: TraceContext(traceparent: traceparent))
    // snippet.end
  }

  struct HTTPGateway: GettingStarted.StockGateway {
    let seen = Recorder<[String: String]>()

    // snippet.log-line
    var headers: [String: String] {
      guard let traceparent = RunContext.current?.traceparent else { return [:] }
      return ["traceparent": traceparent]
    }
    // snippet.end

    func order(_ item: String, count: Int) async throws -> Int {
      seen.record(headers)
      return count
    }
  }

  static func configuration(_ log: any Log) -> StoreConfiguration {
    // snippet.incidents
    let configuration = StoreConfiguration { incident in
      switch incident.kind {
      case .invalidPlan: log.critical("\(incident)")
      default: log.error("\(incident)")
      }
    }
    // snippet.end
    return configuration
  }
}

@Suite("Metrics", .timeLimit(.minutes(1)))
struct MetricsSnippetsTests {
  private typealias Stock = MetricsSnippets.Stock
  private typealias Action = Chores.Action

  private struct Offline: Error, CustomStringConvertible {
    var description: String { "offline" }
  }

  private struct Lines: MetricsSnippets.Log {
    let errors = Recorder<String>()
    let criticals = Recorder<String>()

    func error(_ text: String) { errors.record(text) }
    func critical(_ text: String) { criticals.record(text) }
  }

  /// Throws, and closes nothing.
  private struct Careless: Interactor {
    func plan(for action: Plan, state: Int) -> Plan { action }
    func handle(_ action: Plan, state: Int) async -> Effect<Self> { Effect { _ in throw Offline() } }
    static func reduce(into state: inout Int, mutation: Int) {}
  }

  @Test("The page of an endpoint holds the lines that docs/metrics.md shows")
  func page() async throws {
    let store = Store(
      initial: Stock.State(), interactor: Stock(gateway: MetricsSnippets.HTTPGateway()),
      configuration: StoreConfiguration(clock: TestClock()))
    #expect(await store.send(.order("apples", count: 1)).outcome.kind == .finished)
    _ = await store.send(.take("pears")).outcome
    let body = await MetricsSnippets.Endpoint().metricsPage(of: store).body
    var deliveries = Histogram()
    deliveries.record(.seconds(2))
    let other = Store(
      initial: Stock.State(counts: ["pears": 0, "apples": 3]),
      interactor: Stock(gateway: MetricsSnippets.HTTPGateway()))
    let own = await MetricsSnippets.OwnMetrics().page(of: other, deliveries)
    #expect(own.contains("\nstock_delivery_time_seconds_sum{site=\"north\"} 2.0\n"))
    let lines = Set(body.split(separator: "\n") + own.split(separator: "\n").filter { $0.contains("stock_items") })
    let text = try RepositoryFile.text("docs/metrics.md")
    let shown = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE stock_") || $0.hasPrefix("stock_") }
    #expect(shown.count == 9)
    for line in shown { #expect(lines.contains(line)) }
    #expect(body.hasSuffix("# EOF\n"))
    await MetricsSnippets.look(store) { values in
      #expect("\(values)".hasPrefix("[0, 0, count 1, "))
    }
  }

  @Test("A3: sent is accepted and rejected; what finished is found by what did not")
  func figures() async throws {
    let store = Store(initial: [], interactor: Chores())
    let gate = Gate()
    store.send(Action("A", begins: true, handles: false))
    store.send(Action("B") { _ in throw Offline() })
    let running = store.send(Action("C") { _ in try await gate.enter() })
    store.send(Action("D", .exclusive(key: 1)) { _ in try await gate.enter() })
    store.send(Action("E", .exclusive(key: 1)))
    try await gate.waitForArrivals(2)
    try await store.wait(until: { $0.contains("B failed") })
    let metrics = await store.metrics
    #expect(metrics.sent == 5)
    #expect(metrics.accepted == 4)
    #expect(metrics.rejections == [.exclusive: 1])
    #expect(metrics.inFlight == 2)
    #expect(metrics.outcomes == [.finished: 1, .failed: 1, .rejected: 1])
    running.cancel()
    gate.open()
  }

  @Test("A trace goes from the sender to the gateway")
  func trace() async throws {
    let gateway = MetricsSnippets.HTTPGateway()
    let store = Store(initial: Stock.State(), interactor: Stock(gateway: gateway))
    let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    MetricsSnippets.send(store, traceparent)
    let sent = try #require(try await gateway.seen.next()["traceparent"])
    #expect(sent.prefix(36) == traceparent.prefix(36))
    #expect(sent != traceparent)
    store.send(.order("apples", count: 1))
    #expect(try await gateway.seen.next() == [:])
  }

  @Test("Incidents go to the logger, with the sentence that the page shows")
  func incidents() async throws {
    let log = Lines()
    let store = Store(initial: 0, interactor: Careless(), configuration: MetricsSnippets.configuration(log))
    store.send(.concurrent)
    let line = try await log.errors.next()
    let ending =
      ", and nothing was made of it: offline. Return a mutation for .failed from closing(_:outcome:), or catch the error "
      + "in the handler."
    #expect(line.hasSuffix(ending))
    #expect(try RepositoryFile.text("docs/metrics.md").contains(ending))
    #expect(line.hasPrefix("The handler of "))
    for _ in 1...2 { store.send(.concurrent.debounce(.seconds(1))) }
    #expect(try await log.criticals.next().hasSuffix("or give the breaker a key of its own."))
    await store.shutdown()
    #expect(log.criticals.recorded.count == 1)
  }
}
