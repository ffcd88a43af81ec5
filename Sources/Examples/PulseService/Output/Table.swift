import Millrace

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

/// One line of the table: pieces of text, each in a style.
struct TableRow: Sendable, Equatable {
  /// The meaning of a piece, which a terminal shows by a colour.
  enum Style: String, Sendable {
    case plain = ""
    case strong = "1"
    case faint = "2"
    case bad = "31"
    case good = "32"
    case warning = "33"
    case series = "36"
  }

  struct Piece: Sendable, Equatable {
    var text: String
    var style: Style
  }

  /// Whether the row comes first where there is not room for every row: a firing alert, or a target that is down.
  let isUrgent: Bool

  private(set) var pieces: [Piece] = []

  init(isUrgent: Bool = false) {
    self.isUrgent = isUrgent
  }

  /// The columns that the row takes.
  var columns: Int { pieces.reduce(0) { $0 + Printable.columns($1.text) } }

  /// Adds a piece, padded with blanks to `width` columns.
  mutating func add(_ text: String, _ style: Style = .plain, width: Int = 0, isTrailing: Bool = false) {
    let padding = String(repeating: " ", count: max(0, width - Printable.columns(text)))
    pieces.append(Piece(text: isTrailing ? padding + text : text + padding, style: style))
  }

  /// The row cut to `width` columns, its end marked where something is missing.
  func fitted(to width: Int, mark: String) -> TableRow {
    guard columns > width else { return self }
    var room = max(0, width - Printable.columns(mark))
    var row = TableRow(isUrgent: isUrgent)
    for piece in pieces {
      var text = ""
      for character in piece.text {
        let columns = Printable.columns(character)
        guard columns <= room else {
          row.add(text + (Printable.columns(mark) <= width ? mark : ""), piece.style)
          return row
        }
        room -= columns
        text.append(character)
      }
      row.add(text, piece.style)
    }
    return row
  }

  /// The row as a terminal takes it, with escape sequences for the styles if it shows colours.
  func text(isColored: Bool) -> String {
    pieces.map { piece in
      isColored && piece.style != .plain ? "\u{1B}[\(piece.style.rawValue)m\(piece.text)\u{1B}[0m" : piece.text
    }.joined()
  }
}
