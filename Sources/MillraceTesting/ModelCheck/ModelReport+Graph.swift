extension ModelReport {
  /// The graph for Mermaid, a flowchart: the first state is round, those where an invariant does not hold are red, and
  /// those without a way out are orange.
  public var mermaid: String {
    var lines = ["flowchart TD"]
    for place in states.indices {
      let label = Self.mermaidText(name(of: place))
      lines.append("  s\(place)" + (place == 0 ? "([\"\(label)\"])" : "[\"\(label)\"]"))
    }
    for edge in transitions { lines.append("  s\(edge.from) -->|\"\(Self.mermaidText("\(edge.step)"))\"| s\(edge.to)") }
    for place in violating.sorted() { lines.append("  style s\(place) fill:#f99") }
    for place in stuck where !violating.contains(place) { lines.append("  style s\(place) fill:#fc6") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The graph for Graphviz, in its DOT language; shapes and colours as in ``mermaid``.
  public var dot: String {
    let stuck = Set(stuck)
    var lines = ["digraph {", "  node [shape=box, style=filled, fillcolor=white]"]
    for place in states.indices {
      var attributes = ["label=\"\(Self.dotText(name(of: place)))\""]
      if place == 0 { attributes.append("shape=ellipse") }
      if violating.contains(place) {
        attributes.append("fillcolor=\"#ff9999\"")
      } else if stuck.contains(place) {
        attributes.append("fillcolor=\"#ffcc66\"")
      }
      lines.append("  s\(place) [\(attributes.joined(separator: ", "))]")
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
