import Millrace
import MillraceTerminal

/// The rows of the live table for one state, before they are cut to the terminal.
struct Table {
  let width: Int
  let isASCII: Bool

  func rows(_ snapshot: Snapshot<PulseState>) -> [TableRow] {
    let state = snapshot.state
    var rows = [header(snapshot)]
    if let failure = state.machine.failure {
      rows.append(row { $0.add("machine unreadable: \(printable(failure))", .bad) })
    }
    for failure in [state.rulesFailure, state.recordingFailure].compactMap(\.self) {
      rows += wrapped(printable(failure)).map { line in row { $0.add(line, .warning) } }
    }
    if let sample = state.machine.sample {
      rows += Metric.allCases.map { metric($0, sample, state) }
    }
    let alerts = state.alerts.filter { $0.status != .ok }
    if !alerts.isEmpty {
      rows.append(TableRow())
      rows += alerts.map { alert($0, state) }
    }
    if !state.targets.isEmpty {
      rows.append(TableRow())
      let longest = state.targets.map { Printable.columns(printable($0.endpoint.name)) }.max() ?? 0
      rows += state.targets.map { target($0, nameWidth: min(longest, width / 2)) }
    }
    if !state.receivers.isEmpty {
      rows.append(TableRow())
      rows += state.receivers.map(receiver)
    }
    return rows
  }

  private func receiver(_ receiver: Receiver) -> TableRow {
    row { row in
      row.add("webhook", width: 9)
      row.add("\(printable(receiver.webhook.name))  ")
      row.add(
        receiver.isUntouched ? "not told of anything yet" : printable(receiver.words),
        receiver.isUntouched ? .faint : receiver.failed > 0 ? .warning : .plain)
    }
  }

  /// The words of a text on as many lines as they need.
  private func wrapped(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let line = lines.last, Printable.columns(line) + 1 + Printable.columns(word) <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }

  private func header(_ snapshot: Snapshot<PulseState>) -> TableRow {
    row { row in
      row.add("pulse", .strong)
      if let sample = snapshot.state.machine.sample {
        row.add("  \(Units.time(sample.time))  machine up \(Units.age(sample.uptime))")
      }
      row.add("  revision \(snapshot.revision)", .faint)
    }
  }

  private func metric(_ metric: Metric, _ sample: MachineSample, _ state: PulseState) -> TableRow {
    row { row in
      row.add(metric.rawValue, width: 8)
      row.add(Units.metric(metric, sample[metric]), width: 8, isTrailing: true)
      if width >= 60 {
        row.add("  " + detail(metric, sample), .faint, width: 22)
      }
      row.add("  ")
      let values = state.series[metric]?.values ?? []
      let top: Double? = metric.isPercent ? 100 : nil
      row.add(Sparkline.text(values, width: width - row.columns, top: top, isASCII: isASCII), .series)
    }
  }

  private func detail(_ metric: Metric, _ sample: MachineSample) -> String {
    func used(_ capacity: Capacity) -> String {
      let used = capacity.total - min(capacity.available, capacity.total)
      return "\(Units.bytes(used)) of \(Units.bytes(capacity.total))"
    }
    return switch metric {
    case .cpu: ""
    case .memory: used(sample.memory)
    case .disk: used(sample.disk)
    case .load: "\(Units.metric(.load, sample.load.fiveMinutes)), \(Units.metric(.load, sample.load.fifteenMinutes))"
    }
  }

  private func alert(_ alert: Alert, _ state: PulseState) -> TableRow {
    let style: TableRow.Style =
      switch alert.status {
      case .ok: .plain
      case .pending: .warning
      case .firing: .bad
      case .resolved: .good
      }
    return row(isUrgent: alert.status.isFiring) { row in
      row.add(alert.status.word, style, width: 10)
      row.add(printable(alert.rule.text))
      if !alert.rule.namesSubject {
        row.add(" (\(printable(alert.subject)))")
      }
      if let since = alert.status.since {
        row.add("  \(Units.age(state.elapsed - since))", .faint)
      }
    }
  }

  private func target(_ target: Target, nameWidth: Int) -> TableRow {
    row(isUrgent: target.result?.isDown == true) { row in
      var name = TableRow()
      name.add(printable(target.endpoint.name))
      let fitted = name.fitted(to: nameWidth, mark: mark)
      row.add(fitted.text(isColored: false), width: nameWidth)
      row.add("  ")
      row.add(target.word, style(of: target), width: 9)
      switch target.result {
      case .up(let latency, _):
        row.add(Units.latency(latency), width: 9, isTrailing: true)
        row.add("  ")
        row.add(Sparkline.text(target.latencies.values, width: width - row.columns, isASCII: isASCII), .series)
      case .down(let reason, _):
        row.add(printable(reason), target.isProbing ? .faint : .plain)
      case nil:
        break
      }
    }
  }

  private func style(of target: Target) -> TableRow.Style {
    if target.isProbing { return .warning }
    return switch target.result {
    case .up: .good
    case .down: .bad
    case nil: .faint
    }
  }

  /// The mark in place of a part that was cut off.
  var mark: String { isASCII ? "~" : "…" }

  private func printable(_ text: String) -> String {
    Printable.text(text, isASCII: isASCII)
  }

  private func row(isUrgent: Bool = false, _ fill: (inout TableRow) -> Void) -> TableRow {
    var row = TableRow(isUrgent: isUrgent)
    fill(&row)
    return row
  }
}
