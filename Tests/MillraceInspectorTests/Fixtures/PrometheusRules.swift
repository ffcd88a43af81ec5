import Foundation

/// The alert rules and the dashboard of docs/prometheus, evaluated by promtool.
enum PrometheusRules {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs/prometheus").standardizedFileURL

  static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/promtool")

  /// Scrapes a text of metrics each minute for four hours, and returns what promtool says of the alerts that fire then, and of the queries of
  /// the dashboard that divide by zero; empty for none.
  static func findings(in metrics: String) async throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: "millrace-rules-\(UUID()).yml")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(cases(for: metrics).utf8).write(to: file)
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/promtool")
    process.arguments = ["test", "rules", file.path]
    (process.standardOutput, process.standardError) = (output, output)
    let status = try await withCheckedThrowingContinuation { (end: CheckedContinuation<Int32, any Error>) in
      process.terminationHandler = { end.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { end.resume(throwing: error) }
    }
    let text = try String(decoding: output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return status == 0 ? "" : text
  }

  private static func cases(for metrics: String) throws -> String {
    let rules = folder.appending(path: "alerts.yml")
    let alerts = try String(contentsOf: rules, encoding: .utf8).split(separator: "\n").compactMap { line in
      line.split(separator: "- alert: ").last.flatMap { line.contains("- alert: ") ? String($0) : nil }
    }
    let series = metrics.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let (series, value) = (line[..<line.lastIndex(of: " ")!], line.split(separator: " ").last!)
      let labels = series.split(separator: "{").dropFirst().first.map { $0.dropLast() + "," } ?? ""
      let name = series.prefix { $0 != "{" }
      return "      - { series: '\(name){\(labels)job=\"millrace\",instance=\"a\"}', values: '\(value)x240' }"
    }
    let queries = try dividingQueries()
    return """
      rule_files: [\(rules.path)]
      evaluation_interval: 1m
      tests:
        - interval: 1m
          input_series:
            - { series: 'up{job="millrace",instance="a"}', values: '1x240' }
      \(series.joined(separator: "\n"))
          alert_rule_test:
      \(alerts.map { "      - { eval_time: 4h, alertname: \($0) }" }.joined(separator: "\n"))
          promql_expr_test:
      \(queries.map { "      - { eval_time: 4h, expr: '(\($0)) != (\($0))' }" }.joined(separator: "\n"))

      """
  }

  /// The queries of the dashboard that divide; a quotient that is no number is the one value that is not equal to itself.
  private static func dividingQueries() throws -> [String] {
    struct Dashboard: Decodable {
      struct Panel: Decodable {
        struct Target: Decodable { let expr: String }

        let targets: [Target]
      }

      let panels: [Panel]
    }
    let data = try Data(contentsOf: folder.appending(path: "dashboard.json"))
    return try JSONDecoder().decode(Dashboard.self, from: data).panels.flatMap { $0.targets.map(\.expr) }
      .filter { $0.contains(" / ") }
  }
}
