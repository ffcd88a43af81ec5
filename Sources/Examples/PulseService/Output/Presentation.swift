import Millrace
import MillraceTerminal

/// A form in which states are written.
protocol Presentation: Sendable {
  /// The text for a state, whole lines with their line breaks; a form that redraws remembers what it has drawn.
  mutating func text(_ snapshot: Snapshot<PulseState>) -> String

  /// The text behind the last state.
  var end: String { get }
}

extension Presentation {
  var end: String { "" }
}

/// One line of text a state: the time, the machine, each target, and the alerts that are not ok.
struct LinePresentation: Presentation {
  func text(_ snapshot: Snapshot<PulseState>) -> String {
    let state = snapshot.state
    let parts =
      [machine(state.machine)] + state.targets.map(target) + state.alerts.compactMap(alert)
      + state.receivers.compactMap(receiver)
    return Printable.text(parts.joined(separator: " | "), isASCII: false) + "\n"
  }

  private func machine(_ machine: Machine) -> String {
    var words: [String] = []
    if let sample = machine.sample {
      words.append(Units.time(sample.time))
      words += Metric.allCases.map { "\($0.rawValue) \(Units.metric($0, sample[$0]))" }
      words.append("machine up \(Units.age(sample.uptime))")
    }
    if let failure = machine.failure {
      words.append("machine unreadable: \(failure)")
    }
    return words.isEmpty ? "no sample yet" : words.joined(separator: "  ")
  }

  func target(_ target: Target) -> String {
    let result =
      switch target.result {
      case .up(let latency, _): "up \(Units.latency(latency))"
      case .down(let reason, _): "down: \(reason)"
      case nil: target.isProbing ? "" : "unknown"
      }
    guard target.isProbing else { return "\(target.endpoint.name) \(result)" }
    return "\(target.endpoint.name) probing" + (result.isEmpty ? "" : ", was \(result)")
  }

  func alert(_ alert: Alert) -> String? {
    guard alert.status != .ok else { return nil }
    return "\(alert.status.word): \(alert.rule.text)" + (alert.rule.namesSubject ? "" : " (\(alert.subject))")
  }

  /// A webhook that was never notified of anything is not worth a word.
  func receiver(_ receiver: Receiver) -> String? {
    receiver.isUntouched ? nil : "webhook \(receiver.webhook.name) \(receiver.words)"
  }
}

/// The live table of a terminal, redrawn in place and fitted to its size, which is asked for each time.
struct TablePresentation: Presentation {
  /// The abilities of the terminal.
  let terminal: Terminal
  /// Whether each table is drawn over the one before; a table that is drawn once needs no control of the cursor.
  let isLive: Bool
  private var drawn = RedrawnTable()

  init(terminal: Terminal, isLive: Bool) {
    self.terminal = terminal
    self.isLive = isLive
  }

  mutating func text(_ snapshot: Snapshot<PulseState>) -> String {
    let size = terminal.size()
    let rows = fitted(snapshot, to: size)
    guard isLive else { return rows.map { $0.text(isColored: terminal.isColored) + "\n" }.joined() }
    return drawn.text(rows, on: size, isColored: terminal.isColored)
  }

  var end: String { drawn.end }

  /// The rows cut to the terminal, whose last line is left to the cursor.
  private func fitted(_ snapshot: Snapshot<PulseState>, to size: Terminal.Size) -> [TableRow] {
    let table = Table(width: size.columns, isASCII: terminal.isASCII)
    var rows = table.rows(snapshot)
    let room = max(1, size.rows - 1)
    if isLive && rows.count > room {
      rows = shortened(rows, to: room, mark: table.mark)
    }
    return rows.map { $0.fitted(to: size.columns, mark: table.mark) }
  }
  /// The header, the urgent rows, as many others as there is room for, and a line that counts the rows left out.
  private func shortened(_ rows: [TableRow], to room: Int, mark: String) -> [TableRow] {
    let filled = rows.filter { !$0.pieces.isEmpty }
    let others = filled.dropFirst()
    let ordered = filled.prefix(1) + others.filter(\.isUrgent) + others.filter { !$0.isUrgent }
    guard ordered.count > room else { return Array(ordered) }
    var more = TableRow()
    more.add("\(mark) \(ordered.count - room + 1) more lines", .faint)
    return ordered.prefix(room - 1) + [more]
  }
}
