/// Reads OpenMetrics text as far as this package writes it, and says what is wrong with it.
struct OpenMetricsChecker {
  struct Sample {
    var name: String
    var labels: [(name: String, value: String)]
    var value: String

    func label(_ name: String) -> String? {
      labels.first { $0.name == name }?.value
    }
  }

  private(set) var samples: [Sample] = []
  private(set) var problems: [String] = []

  private var families: Set<String> = []
  /// The names of all families, and those that their samples may have.
  private var names: Set<String> = []
  private var series: Set<String> = []
  private var family = ""
  private var type = ""
  private var metadata: [String] = []

  init(_ text: String) {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    if lines.popLast() != "" { problems.append("the text does not end with a line feed") }
    if lines.popLast() != "# EOF" { problems.append("the last line is not # EOF") }
    for line in lines {
      if line.hasPrefix("#") {
        readMetadata(line)
      } else {
        readSample(line)
      }
    }
  }

  private mutating func readMetadata(_ line: String) {
    let metadata = #/# (TYPE|UNIT|HELP) ([a-zA-Z_][a-zA-Z0-9_]*) (.+)/#.dotMatchesNewlines()
    guard let match = line.wholeMatch(of: metadata.matchingSemantics(.unicodeScalar)) else {
      return problems.append("metadata: \(line)")
    }
    let (kind, name, rest) = (String(match.1), String(match.2), String(match.3))
    if kind == "TYPE" {
      if !["counter", "gauge", "histogram"].contains(rest) { problems.append("type: \(line)") }
      if !families.insert(name).inserted { problems.append("a family occurs twice: \(line)") }
      let endings = [
        "counter": ["", "_total", "_created"], "histogram": ["", "_bucket", "_count", "_sum", "_created"],
      ]
      let names = (endings[rest] ?? [""]).map { name + $0 }
      if !self.names.isDisjoint(with: names) { problems.append("names clash: \(line)") }
      self.names.formUnion(names)
      (family, type, self.metadata) = (name, rest, [kind])
      return
    }
    if name != family { problems.append("metadata of another family: \(line)") }
    if kind == "UNIT", self.metadata != ["TYPE"] || !name.hasSuffix("_\(rest)") { problems.append("unit: \(line)") }
    if kind == "HELP", self.metadata.last == "HELP" { problems.append("help occurs twice: \(line)") }
    let escaped = #/(?:[^"\\]|\\[n"\\])*/#.matchingSemantics(.unicodeScalar)
    if kind == "HELP", rest.wholeMatch(of: escaped) == nil { problems.append("help is not escaped: \(line)") }
    self.metadata.append(kind)
  }

  private mutating func readSample(_ line: String) {
    let sample = #/([a-zA-Z_][a-zA-Z0-9_]*)(?:\{(.+)\})? (-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?|NaN|[+-]Inf)/#
      .dotMatchesNewlines()
    guard let match = line.wholeMatch(of: sample.matchingSemantics(.unicodeScalar)) else {
      return problems.append("sample: \(line)")
    }
    let name = String(match.1)
    let suffixes = ["counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"]][type] ?? []
    if metadata.isEmpty || !suffixes.contains(where: { name == family + $0 }) {
      problems.append("not of its family: \(line)")
    }
    let labels = readLabels(match.2.map { String($0) } ?? "", in: line)
    if Set(labels.map(\.name)).count != labels.count { problems.append("a label occurs twice: \(line)") }
    let identity = ([name] + labels.filter { !$0.value.isEmpty }.map { "\($0.name)=\($0.value.debugDescription)" })
    if !series.insert(identity.joined(separator: ",")).inserted { problems.append("a series occurs twice: \(line)") }
    if labels.map(\.name) != labels.map(\.name).sorted() { problems.append("labels out of order: \(line)") }
    samples.append(Sample(name: name, labels: labels, value: String(match.3)))
  }

  private mutating func readLabels(_ text: String, in line: String) -> [(name: String, value: String)] {
    var labels: [(name: String, value: String)] = []
    var rest = Substring(text)
    let label = #/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[n"\\])*)"(?:,|$)/#.matchingSemantics(.unicodeScalar)
    while !rest.isEmpty {
      guard let match = rest.prefixMatch(of: label) else {
        problems.append("labels: \(line)")
        break
      }
      labels.append((String(match.1), unescaped(match.2)))
      rest = rest[match.range.upperBound...]
    }
    return labels
  }

  private func unescaped(_ value: Substring) -> String {
    var result = ""
    var isEscaped = false
    for scalar in value.unicodeScalars {
      if isEscaped {
        result.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
