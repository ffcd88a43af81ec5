import Foundation
import Millrace

/// The answers of an inspector: what it shows, and what each path says of it.
final class Pages: InspectorAnswers {
  private struct Shown {
    var stores: [ShownStore] = []
    var checks: [HealthCheck] = []
    var series: [@Sendable () async -> [Metrics.Series]] = []
    /// The stores that are being opened, with their progress as text.
    var openings: [(name: String, progress: String)] = []
    var isStopping = false
  }

  private let shown = Lock(Shown())
  private let access: Access
  private let options: InspectorOptions

  init(_ options: InspectorOptions) {
    self.options = options
    access = Access(hosts: options.hosts, token: options.token)
  }

  // MARK: What is shown

  func show(_ store: ShownStore) {
    shown.withLock { shown in
      shown.openings.removeAll { $0.name == store.name }
      shown.stores.replace(store) { $0.name == store.name }
    }
  }

  func hide(_ name: String) {
    shown.withLock { shown in
      shown.openings.removeAll { $0.name == name }
      shown.stores.removeAll { $0.name == name }
    }
  }

  func add(_ check: HealthCheck) {
    shown.withLock { shown in shown.checks.replace(check) { $0.name == check.name } }
  }

  func add(_ series: @escaping @Sendable () async -> [Metrics.Series]) { shown.withLock { $0.series.append(series) } }

  /// Notes the progress of an opening, which ends when the store is shown.
  func note(_ progress: String, ofOpening name: String) {
    shown.withLock { shown in
      if let index = shown.openings.firstIndex(where: { $0.name == name }) {
        shown.openings[index].progress = progress
      } else if !shown.stores.contains(where: { $0.name == name }) {
        shown.openings.append((name, progress))
      }
    }
  }

  func stop() { shown.withLock { $0.isStopping = true } }

  // MARK: Answers

  func refusal(of request: InspectorRequest) -> InspectorResponse? {
    access.refusal(of: request) ?? (request.path == "/runs" ? access.refusalWithoutToken(request) : nil)
  }

  func limit(of request: InspectorRequest) -> Duration {
    request.path == "/livez" ? options.livenessLimit : options.answerLimit
  }

  func answer(_ request: InspectorRequest) async -> InspectorResponse {
    switch request.path {
    case "/": return InspectorResponse(200, Self.paths)
    case "/livez": return await health(of: [HealthCheck(name: "pool") { nil }], for: request)
    case "/readyz": return await health(of: readiness, for: request)
    case "/startupz": return await health(of: startup, for: request)
    case "/metrics": return await metrics()
    case "/runs": return await runs(request)
    default: return InspectorResponse(404, "There is no page '\(request.path)'.\n\(Self.paths)")
    }
  }

  private static let paths = """
    /livez     whether the process makes steps
    /readyz    whether it should get work; ?verbose shows each check, ?exclude=NAME leaves one out
    /startupz  whether its stores are open
    /metrics   the metrics, as OpenMetrics
    /runs      the open runs as JSON; ?store=NAME, ?limit=NUMBER

    """

  private func health(of checks: [HealthCheck], for request: InspectorRequest) async -> InspectorResponse {
    let excluded = Set(request.values(of: "exclude"))
    if let unknown = excluded.subtracting(checks.map(\.name)).sorted().first {
      let names = checks.map(\.name).joined(separator: ", ")
      return InspectorResponse(400, "No check has the name '\(unknown)'; these are: \(names).\n")
    }
    let report = await checks.filter { !excluded.contains($0.name) }
      .report(for: String(request.path.dropFirst()), within: options.checkLimit.bounded, options.clock)
    return report.response(isVerbose: request.has("verbose"))
  }

  private var readiness: [HealthCheck] {
    let (stores, checks, isStopping) = shown.withLock { ($0.stores, $0.checks, $0.isStopping) }
    let stopping = HealthCheck(name: "shutdown") {
      if isStopping { throw HealthFailure(description: "the process is asked to stop") }
      return nil
    }
    return [stopping] + startup + stores.map(\.readiness) + checks
  }

  private var startup: [HealthCheck] {
    shown.withLock { shown in
      shown.openings.map { name, progress in
        HealthCheck(name: "opening-\(name)") { throw HealthFailure(description: progress) }
      } + [
        HealthCheck(name: "stores") { [count = shown.stores.count] in
          if count == 0 { throw HealthFailure(description: "no store is shown yet") }
          return nil
        }
      ]
    }
  }

  private func metrics() async -> InspectorResponse {
    let (stores, sources) = shown.withLock { ($0.stores, $0.series) }
    async let report = readiness.report(for: "readyz", within: options.checkLimit.bounded, options.clock)
    let answers = await collect(stores.map(\.metrics))
    let metrics = zip(stores, answers).compactMap { store, metrics in metrics.map { (["store": store.name], $0) } }
    let prefix = options.metricsPrefix.isEmpty ? "" : options.metricsPrefix + "_"
    var series = zip(stores, answers).map { store, metrics in
      Metrics.Series.gauge(
        "\(prefix)store_up", metrics == nil ? 0 : 1, labels: ["store": store.name],
        help: "1 if the store answered in time.")
    }
    series.append(
      .gauge("\(prefix)ready", await report.isHealthy ? 1 : 0, help: "1 if /readyz answers 200."))
    if !options.version.isEmpty {
      series.append(
        .gauge("\(prefix)build_info", 1, labels: ["version": options.version], help: "The version of the program."))
    }
    for store in stores { series += store.series(prefix) }
    series += ProcessMetrics.series()
    for source in await collect(sources) { series += source ?? [] }
    return InspectorResponse(
      200, type: "application/openmetrics-text; version=1.0.0; charset=utf-8",
      Metrics.openMetrics(of: metrics, prefix: options.metricsPrefix, labels: options.labels, adding: series))
  }

  private func runs(_ request: InspectorRequest) async -> InspectorResponse {
    let stores = shown.withLock { $0.stores }
    let wanted = request.values(of: "store")
    if let unknown = wanted.first(where: { name in !stores.contains { $0.name == name } }) {
      let names = stores.map(\.name).joined(separator: ", ")
      return InspectorResponse(404, "No store is shown as '\(unknown)'; these are: \(names).\n")
    }
    let text = request.values(of: "limit").last
    guard let limit = text.map({ Int($0) }) ?? 1_000, (1...ShownStore.mostRuns).contains(limit) else {
      return InspectorResponse(400, "The limit '\(text ?? "")' is no number from 1 to 10,000.\n")
    }
    let chosen = stores.filter { wanted.isEmpty || wanted.contains($0.name) }
    let answers = await collect(chosen.map { store in { await store.openRuns(limit) } })
    let document = RunsDocument(
      runs: answers.flatMap { $0 ?? [] }.mostUrgent(limit),
      unanswered: zip(chosen, answers).filter { $0.1 == nil }.map(\.0.name))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(document) else {
      return InspectorResponse(500, "The runs cannot be encoded as JSON.\n")
    }
    return InspectorResponse(200, type: "application/json", String(decoding: data, as: UTF8.self) + "\n")
  }
}

extension Pages {
  /// Reads stores or sources side by side; nil for one that does not answer in time.
  private func collect<Value: Sendable>(_ questions: [@Sendable () async -> Value]) async -> [Value?] {
    await Answers.collect(within: options.checkLimit.bounded, options.clock, questions)
  }
}

extension Array {
  /// Puts an element into the place of the one that matches, or at the end.
  fileprivate mutating func replace(_ element: Element, matching: (Element) -> Bool) {
    if let index = firstIndex(where: matching) { self[index] = element } else { append(element) }
  }
}
