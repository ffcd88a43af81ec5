/// OpenMetrics 1.0 text in the making, one family of samples after the other.
struct OpenMetricsText {
  /// The labels that the text itself gives to samples.
  enum OwnLabel: String, CaseIterable {
    case le, outcome, reason, stage, state
  }

  enum Kind: String {
    case counter, gauge, histogram

    /// The endings that the names of a family's samples may have beyond its own name.
    fileprivate var endings: [String] {
      switch self {
      case .counter: ["_total", "_created"]
      case .gauge: []
      case .histogram: ["_bucket", "_count", "_sum", "_created"]
      }
    }
  }

  /// A label whose name is legal and whose value is escaped.
  typealias Label = (name: String, value: String)

  /// The bounds of histograms: as the format wants them written, in seconds, and in nanoseconds.
  private static let bounds: [(text: String, nanoseconds: Int64)] = [
    ("1e-06", 1_000), ("2.5e-06", 2_500), ("5e-06", 5_000),
    ("1e-05", 10_000), ("2.5e-05", 25_000), ("5e-05", 50_000),
    ("0.0001", 100_000), ("0.00025", 250_000), ("0.0005", 500_000),
    ("0.001", 1_000_000), ("0.0025", 2_500_000), ("0.005", 5_000_000),
    ("0.01", 10_000_000), ("0.025", 25_000_000), ("0.05", 50_000_000),
    ("0.1", 100_000_000), ("0.25", 250_000_000), ("0.5", 500_000_000),
    ("1.0", 1_000_000_000), ("2.5", 2_500_000_000), ("5.0", 5_000_000_000),
    ("10.0", 10_000_000_000), ("25.0", 25_000_000_000), ("50.0", 50_000_000_000),
    ("100.0", 100_000_000_000),
  ]

  /// The beginning of the names of the stores' families.
  let prefix: String
  /// The metrics of each store, and all labels of its lines.
  let stores: [(labels: [Label], metrics: Metrics)]

  private let labels: [Label]
  private var text = ""

  /// The names of the families so far, and those that their samples may have.
  private var takenNames: Set<String> = []

  /// A text without a family, whose names will begin with the prefix, and whose samples will have the labels.
  init(of stores: [(labels: [String: String], metrics: Metrics)], prefix: String, labels: [String: String]) {
    self.prefix = prefix.isEmpty ? "" : Self.legal(prefix) + "_"
    let reserved = Set(OwnLabel.allCases.map(\.rawValue))
    let common = Self.named(labels, besides: reserved)
    self.labels = common
    self.stores = stores.map { store in
      (Self.labels(store.labels.filter { !$0.value.isEmpty }, with: common, besides: reserved), store.metrics)
    }
  }

  mutating func addGauge(_ name: String, unit: String = "", help: String, _ value: (Metrics) -> Int?) {
    addFamily(name, .gauge, unit: unit, help: help, value) { text, family, value, labels in
      text.add(family, "\(value)", labels)
    }
  }

  /// Adds a gauge that has one sample for each value of a label.
  mutating func addGauges<Kind: CaseIterable & Hashable>(
    _ name: String, by label: OwnLabel, help: String, _ values: (Metrics) -> [Kind: Int]?
  ) {
    addFamily(name, .gauge, help: help, values) { text, family, values, labels in
      for kind in Kind.allCases { text.add(family, "\(values[kind] ?? 0)", labels, (label.rawValue, "\(kind)")) }
    }
  }

  /// Adds a gauge that is a time since 1970, in seconds.
  mutating func addTime(_ name: String, help: String, milliseconds: (Metrics) -> Int64?) {
    addFamily(name, .gauge, unit: "seconds", help: help, milliseconds) { text, family, milliseconds, labels in
      text.add(family, Self.seconds(.milliseconds(milliseconds)), labels)
    }
  }

  mutating func addCounter(_ name: String, help: String, _ value: (Metrics) -> Int?) {
    addFamily(name, .counter, help: help, value) { text, family, value, labels in
      text.add(family + "_total", "\(value)", labels)
    }
  }

  /// Adds a counter that has one sample for each value of a label.
  mutating func addCounters<Kind: CaseIterable & Hashable>(
    _ name: String, by label: OwnLabel, help: String, _ values: (Metrics) -> [Kind: Int]
  ) {
    addFamily(name, .counter, help: help, values) { text, family, values, labels in
      for kind in Kind.allCases {
        text.add(family + "_total", "\(values[kind] ?? 0)", labels, (label.rawValue, "\(kind)"))
      }
    }
  }

  /// Adds a histogram of seconds.
  mutating func addHistogram(_ name: String, help: String, _ histogram: (Metrics) -> Histogram?) {
    addFamily(name, .histogram, unit: "seconds", help: help, histogram) { text, family, histogram, labels in
      text.addSamples(of: histogram, to: family, labels)
    }
  }

  /// Adds a family with the values of the stores.
  ///
  /// If no store has a value, only its names are taken, so that a family of the program's own keeps its name when one has.
  private mutating func addFamily<Value>(
    _ name: String, _ kind: Kind, unit: String = "", help: String, _ value: (Metrics) -> Value?,
    _ add: (inout Self, _ family: String, Value, [Label]) -> Void
  ) {
    let family = take(prefix + name, kind, unit: unit)
    var isBegun = false
    for (labels, metrics) in stores {
      guard let value = value(metrics) else { continue }
      if !isBegun { addHead(of: family, kind, unit: unit, help: help) }
      isBegun = true
      add(&self, family, value, labels)
    }
  }

  /// Adds the samples of a histogram of seconds to its family, which was begun.
  mutating func addSamples(of histogram: Histogram, to family: String, _ labels: [Label]) {
    for (bound, nanoseconds) in Self.bounds {
      let count = histogram.count(upTo: .nanoseconds(nanoseconds))
      add(family + "_bucket", "\(count)", labels, (OwnLabel.le.rawValue, bound))
    }
    add(family + "_bucket", "\(histogram.count)", labels, (OwnLabel.le.rawValue, "+Inf"))
    add(family + "_count", "\(histogram.count)", labels)
    add(family + "_sum", Self.seconds(histogram.total), labels)
  }

  /// The text with its end.
  consuming func finished() -> String {
    text + "# EOF\n"
  }

  /// Begins a family, and returns its full name.
  mutating func begin(_ name: String, _ kind: Kind, unit: String = "", help: String) -> String {
    let family = take(name, kind, unit: unit)
    addHead(of: family, kind, unit: unit, help: help)
    return family
  }

  /// The full name of a family, which ends with the unit.
  ///
  /// A name that another family or its samples have gets `_` after it, before the unit.
  private mutating func take(_ name: String, _ kind: Kind, unit: String) -> String {
    let ending = unit.isEmpty ? "" : "_" + unit
    var name = name
    while isTaken(name + ending, kind) { name += "_" }
    let family = name + ending
    takenNames.formUnion(Self.names(of: family, kind))
    return family
  }

  private mutating func addHead(of family: String, _ kind: Kind, unit: String, help: String) {
    text += "# TYPE \(family) \(kind.rawValue)\n"
    if !unit.isEmpty { text += "# UNIT \(family) \(unit)\n" }
    if !help.isEmpty { text += "# HELP \(family) \(Self.escaped(help))\n" }
  }

  private func isTaken(_ family: String, _ kind: Kind) -> Bool {
    !takenNames.isDisjoint(with: Self.names(of: family, kind))
  }

  /// The name of a family and those that its samples may have.
  private static func names(of family: String, _ kind: Kind) -> [String] {
    [family] + kind.endings.map { family + $0 }
  }

  /// Adds a sample, with its own label in its place among the others.
  mutating func add(_ name: String, _ value: String, _ labels: [Label], _ own: Label? = nil) {
    var (own, separator) = (own, "{")
    text += name
    for label in labels {
      if let first = own, first.name < label.name {
        add(first, behind: &separator)
        own = nil
      }
      add(label, behind: &separator)
    }
    if let own { add(own, behind: &separator) }
    text += separator == "," ? "} " : " "
    text += value
    text += "\n"
  }

  private mutating func add(_ label: Label, behind separator: inout String) {
    text += separator
    text += label.name
    text += "=\""
    text += label.value
    text += "\""
    separator = ","
  }
}

extension OpenMetricsText {
  /// The labels of a sample of the program's own: those of the text, or of a store, and these with names of their own, sorted by name.
  func labels(with own: [String: String], over base: [Label]? = nil) -> [Label] {
    Self.labels(own, with: base ?? labels, besides: [OwnLabel.le.rawValue])
  }

  /// These labels with names of their own, and those that the text has already, sorted by name.
  private static func labels(
    _ labels: [String: String], with base: [Label], besides reserved: Set<String>
  ) -> [Label] {
    if labels.isEmpty { return base }
    return (base + named(labels, besides: reserved.union(base.map(\.name)))).sorted { $0.name < $1.name }
  }

  /// The labels as they stand between the braces.
  static func text(of labels: [Label]) -> String {
    labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",")
  }

  /// The labels with legal names, each once and none of those that are taken, and escaped values, sorted by name.
  private static func named(_ labels: [String: String], besides taken: Set<String>) -> [Label] {
    var taken = taken
    var named: [Label] = []
    // Those that can keep their names choose first.
    let kept = labels.keys.filter { legalLabel($0) == $0 && !taken.contains($0) }
    let changed = labels.keys.filter { legalLabel($0) != $0 || taken.contains($0) }
    for given in kept + changed.sorted() {
      var name = legalLabel(given)
      while !taken.insert(name).inserted { name += "_" }
      named.append((name, escaped(labels[given] ?? "")))
    }
    return named.sorted { $0.name < $1.name }
  }

  private static func legalLabel(_ name: String) -> String {
    var name = legal(name)[...]
    while name.hasPrefix("__") { name.removeFirst() }
    return String(name)
  }

  /// The name with `_` for all that is not a letter or digit of ASCII, and before a digit that it begins with.
  static func legal(_ name: String) -> String {
    var legal = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z": legal.unicodeScalars.append(scalar)
      case "0"..."9":
        if legal.isEmpty { legal = "_" }
        legal.unicodeScalars.append(scalar)
      default: legal += "_"
      }
    }
    return legal.isEmpty ? "_" : legal
  }

  /// By scalars, since a line feed that follows a carriage return is not a character of its own.
  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A duration that is not negative as seconds, in decimals and exactly.
  static func seconds(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    var decimals = String(attoseconds + 1_000_000_000_000_000_000).dropFirst()
    while decimals.count > 1, decimals.last == "0" { decimals.removeLast() }
    return "\(whole).\(decimals)"
  }

  /// A number as the format wants it; a whole one without decimals.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf" }
    return Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}
