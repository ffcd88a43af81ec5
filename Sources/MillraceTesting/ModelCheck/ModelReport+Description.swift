import Millrace

extension ModelReport: CustomStringConvertible {
  /// The size of the search and its findings, with a shortest path to each.
  public var description: String {
    let size = "\(count(states.count, "state")) and \(count(transitions.count, "step")) between them"
    return ([problems.isEmpty ? "\(size): nothing is wrong." : "\(size)."] + problems).joined(separator: "\n")
  }

  /// The number of entries of a list that are shown.
  private static var limit: Int { 3 }

  /// The findings, each with the fix.
  var problems: [String] {
    violations.map(text) + unreached.map(unreachedText) + (stuck.isEmpty ? [] : [stuckText])
      + (isComplete ? [] : [limitText])
  }

  private func text(_ violation: Violation) -> String {
    """
    "\(violation.invariant)" does not hold \(distance(to: violation.state)):
    \(pathText(to: violation.state))
    Change decide or reduce so that no step leads there, or the invariant if the state is right.
    """
  }

  private func unreachedText(_ name: String) -> String {
    """
    "\(name)" holds in none of the \(count(states.count, "state")) that were looked at. Add the action or the mutation that \
    leads to it, or change decide or reduce so that one does.
    """
  }

  private var stuckText: String {
    let shown = stuck.prefix(Self.limit).map { "\(capitalised(distance(to: $0))):\n\(pathText(to: $0))" }
    let rest = stuck.count - shown.count
    return """
      \(count(stuck.count, "state")) that \(stuck.count == 1 ? "has" : "have") to be left \
      \(stuck.count == 1 ? "has" : "have") no way out.
      \((shown + (rest > 0 ? ["… and \(rest) more."] : [])).joined(separator: "\n"))
      Add the action or the mutation that leads out, such as a closing one, or change decide or reduce.
      """
  }

  private var limitText: String {
    """
    There are more states than the maximum of \(maximum) that may be looked at, and nothing is known of the others. Raise \
    maximum, or let actions and mutations depend on the state, so that there are fewer.
    """
  }

  private func distance(to place: Int) -> String {
    let steps = path(to: place).count
    return steps == 0 ? "at the beginning" : "after \(count(steps, "step"))"
  }

  private func pathText(to place: Int) -> String {
    let path = path(to: place)
    let lines = ["  \(name(of: 0))"] + path.map { "  \($0.step) → \(name(of: $0.to))" }
    return lines.joined(separator: "\n")
  }

  /// A state in one line.
  func name(of place: Int) -> String {
    ValueText.of(states[place], limit: 200)
  }

  private func count(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }

  private func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
