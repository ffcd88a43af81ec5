import Millrace

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

  private func target(_ target: Target) -> String {
    let result =
      switch target.result {
      case .up(let latency, _): "up \(Units.latency(latency))"
      case .down(let reason, _): "down: \(reason)"
      case nil: target.isProbing ? "" : "unknown"
      }
    guard target.isProbing else { return "\(target.endpoint.name) \(result)" }
    return "\(target.endpoint.name) probing" + (result.isEmpty ? "" : ", was \(result)")
  }

  private func alert(_ alert: Alert) -> String? {
    guard alert.status != .ok else { return nil }
    return "\(alert.status.word): \(alert.rule.text)" + (alert.rule.namesSubject ? "" : " (\(alert.subject))")
  }

  /// A webhook that was never notified of anything is not worth a word.
  private func receiver(_ receiver: Receiver) -> String? {
    receiver.isUntouched ? nil : "webhook \(receiver.webhook.name) \(receiver.words)"
  }
}

/// The live table of a terminal, redrawn in place and fitted to its size, which is asked for each time.
struct TablePresentation: Presentation {
  /// The abilities of the terminal.
  let terminal: Terminal
  /// Whether each table is drawn over the one before; a table that is drawn once needs no control of the cursor.
  let isLive: Bool
  /// The number of drawn lines and the size of the terminal, by which the first line is found again.
  private var drawn: (lines: Int, size: Terminal.Size)?

  init(terminal: Terminal, isLive: Bool) {
    self.terminal = terminal
    self.isLive = isLive
  }

  mutating func text(_ snapshot: Snapshot<PulseState>) -> String {
    let size = terminal.size()
    let rows = fitted(snapshot, to: size)
    let lines = rows.map { $0.text(isColored: terminal.isColored) }
    guard isLive else { return lines.map { $0 + "\n" }.joined() }
    let text = start(on: size) + lines.map { $0 + Control.clearLine + "\r\n" }.joined() + Control.clearBelow
    drawn = (lines.count, size)
    return text
  }

  var end: String { drawn == nil ? "" : Control.showCursor }

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

  /// Hides the cursor the first time, and later moves it to the first line of what was drawn.
  ///
  /// A terminal that has changed its size has broken or moved the lines, each kind of terminal in its own way, so that the
  /// screen is cleared instead.
  private func start(on size: Terminal.Size) -> String {
    guard let drawn else { return Control.hideCursor }
    return drawn.size == size ? Control.up(drawn.lines) : Control.clearScreen
  }
}

/// The escape sequences that redrawing needs; every terminal of the last forty years knows them.
enum Control {
  static let hideCursor = "\u{1B}[?25l"
  static let showCursor = "\u{1B}[?25h"
  static let clearLine = "\u{1B}[K"
  static let clearBelow = "\u{1B}[J"
  static let clearScreen = "\u{1B}[H\u{1B}[2J"

  static func up(_ lines: Int) -> String {
    "\r\u{1B}[\(lines)A"
  }
}
