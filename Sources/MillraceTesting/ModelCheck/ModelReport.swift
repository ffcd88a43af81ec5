public import Millrace

extension ModelCheck {
  /// The result of a ``ModelCheck``: the states, the steps between them, and the findings.
  public struct Report: Sendable {
    /// A step that changes the state; states are named by their indices in ``ModelCheck/Report/states``.
    public struct Transition: Sendable {
      /// The index of the state before.
      public let from: Int
      /// The step that leads to the other state.
      public let step: ModelCheck<I>.Step
      /// The index of the state after.
      public let to: Int
    }

    /// An invariant that does not hold.
    public struct Violation: Sendable {
      /// The name of the step.
      public let invariant: String
      /// The index of the first state where it does not hold; none is nearer to the beginning.
      public let state: Int
    }

    /// The states in the order in which they were found, the nearest to the initial state first.
    public let states: [I.State]

    /// The steps that change the state, by the state from which they lead.
    public let transitions: [Transition]

    /// For each invariant that does not hold, the nearest state.
    public let violations: [Violation]

    /// The indices of all states where some invariant does not hold.
    public let violating: Set<Int>

    /// The names in `reachable` whose condition holds in no state.
    public let unreached: [String]

    /// The indices of the states that have to be left, and lead to none that has not.
    public let stuck: [Int]

    /// Whether these are all the states there are, and not only as many as may be looked at.
    public let isComplete: Bool

    /// The largest number of states of the search.
    public let maximum: Int

    private let search: ModelSearch<I.State, ModelCheck<I>.Step>

    init(
      _ search: ModelSearch<I.State, ModelCheck<I>.Step>, maximum: Int, violations: [Violation],
      violating: Set<Int>, unreached: [String], stuck: [Int]
    ) {
      self.search = search
      self.maximum = maximum
      self.violations = violations
      self.violating = violating
      self.unreached = unreached
      self.stuck = stuck
      states = search.states
      transitions = search.edges.map { Transition(from: $0.from, step: $0.step, to: $0.to) }
      isComplete = search.cut.isEmpty
    }

    /// A shortest way to a state from the first one.
    ///
    /// - Parameter index: the state's index in ``states``.
    public func path(to index: Int) -> [Transition] {
      search.path(to: index).map { Transition(from: $0.from, step: $0.step, to: $0.to) }
    }

    /// Whether nothing is wrong, and all was looked at.
    public var isSound: Bool { problems.isEmpty }
  }
}

extension ModelCheck.Report: CustomStringConvertible {
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

  private func distance(to index: Int) -> String {
    let steps = path(to: index).count
    return steps == 0 ? "at the beginning" : "after \(count(steps, "step"))"
  }

  private func pathText(to index: Int) -> String {
    let path = path(to: index)
    let lines = ["  \(name(of: 0))"] + path.map { "  \($0.step) → \(name(of: $0.to))" }
    return lines.joined(separator: "\n")
  }

  /// A state in one line.
  func name(of index: Int) -> String {
    ValueText.of(states[index], limit: 200)
  }

  private func count(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }

  private func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}

extension ModelCheck.Report {
  /// The graph for Mermaid, a flowchart: the first state is round, those where an invariant does not hold are red, and
  /// those without a way out are orange.
  public var mermaid: String {
    var lines = ["flowchart TD"]
    for index in states.indices {
      let label = Self.mermaidText(name(of: index))
      lines.append("  s\(index)" + (index == 0 ? "([\"\(label)\"])" : "[\"\(label)\"]"))
    }
    for edge in transitions { lines.append("  s\(edge.from) -->|\"\(Self.mermaidText("\(edge.step)"))\"| s\(edge.to)") }
    for index in violating.sorted() { lines.append("  style s\(index) fill:#f99") }
    for index in stuck where !violating.contains(index) { lines.append("  style s\(index) fill:#fc6") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The graph for Graphviz, in its DOT language; shapes and colours as in ``mermaid``.
  public var dot: String {
    let stuck = Set(stuck)
    var lines = ["digraph {", "  node [shape=box, style=filled, fillcolor=white]"]
    for index in states.indices {
      var attributes = ["label=\"\(Self.dotText(name(of: index)))\""]
      if index == 0 { attributes.append("shape=ellipse") }
      if violating.contains(index) {
        attributes.append("fillcolor=\"#ff9999\"")
      } else if stuck.contains(index) {
        attributes.append("fillcolor=\"#ffcc66\"")
      }
      lines.append("  s\(index) [\(attributes.joined(separator: ", "))]")
    }
    for edge in transitions {
      lines.append("  s\(edge.from) -> s\(edge.to) [label=\"\(Self.dotText("\(edge.step)"))\"]")
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  /// Within quotes Mermaid takes all but quotes, and what looks like a tag or an entity.
  private static func mermaidText(_ text: String) -> String {
    escaped(
      text,
      ["\"": "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "\\": "#92;", "\n": " ", "\r": " "])
  }

  private static func dotText(_ text: String) -> String {
    escaped(text, ["\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": " "])
  }

  /// By scalars, for a character may have one of these among others: a line's end of two, a quote with an accent.
  private static func escaped(_ text: String, _ escapes: [Unicode.Scalar: String]) -> String {
    text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }
}
