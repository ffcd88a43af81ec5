extension Flags {
  /// The help text: what the command does, how it is called, and a line for each flag.
  ///
  /// Without a line break at its end. The line of the call is broken at 80 columns.
  public var usage: String {
    let rows = flags.map { ($0.spelling, $0.isRepeatable ? "\($0.help); may be repeated" : $0.help) }
    let all = rows + [("--help", "print this text")]
    let width = all.map(\.0.count).max() ?? 0
    let lines = all.map { spelling, help in
      "  " + spelling + String(repeating: " ", count: width - spelling.count) + "  " + help
    }
    return ([summary, "", call, ""] + lines).joined(separator: "\n")
  }

  /// `Usage: pulse [--every SECONDS] …`, broken at 80 columns.
  private var call: String {
    let words = flags.map { "[\($0.spelling)]" + ($0.isRepeatable ? "..." : "") } + ["[--help]"]
    let operands = operand.map { [$0.placeholder] } ?? []
    let start = "Usage: \(command)"
    let margin = String(repeating: " ", count: start.count)
    var lines = [start]
    for word in operands + words {
      if lines[lines.count - 1].count + 1 + word.count > 80, lines[lines.count - 1] != margin {
        lines.append(margin)
      }
      lines[lines.count - 1] += " " + word
    }
    return lines.joined(separator: "\n")
  }
}

extension Flag {
  /// The flag as the help text writes it, with its placeholder.
  fileprivate var spelling: String {
    placeholder.map { "\(name) \($0)" } ?? name
  }
}
