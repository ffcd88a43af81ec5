extension Metrics {
  /// A metric of the program's own, written beside the metrics of a store by ``Metrics/openMetrics(prefix:labels:adding:)``.
  ///
  /// A series is one value with a name and labels, read by the caller when the text is made. Series of the same kind, name and
  /// unit are one family: they are written together, below the help of the first.
  ///
  /// **Names.** No name fails: a text with a changed name is worth more than no text, and the change is seen in it. The name
  /// is written as it is given, without the prefix of the text. Each of its scalars that is not a letter or digit of ASCII or `_`
  /// becomes `_`, and a name that begins with a digit gets `_` before it. The unit becomes the ending of the name unless
  /// the name has it already. A counter is written with the ending `_total`, whether its name has it or not. A name that a
  /// family of the store, or an earlier one, has for itself or for its samples gets `_` after it.
  ///
  /// **Labels.** Labels of the text are added. Names are made legal as there; one that the text labels all lines with, or
  /// that is `le`, gets `_` after it. A label with an empty value is left out, because the format does not tell it from a missing
  /// one. Values are escaped, and may be anything. Of several series of a family with the same labels the last counts.
  public struct Series: Sendable {
    fileprivate enum Value {
      case counter(Double)
      case gauge(Double)
      case histogram(Histogram)
    }

    fileprivate let name: String
    fileprivate let value: Value
    fileprivate let unit: String
    fileprivate let labels: [String: String]
    fileprivate let help: String

    /// Creates a series of a value that goes up and down.
    ///
    /// - Parameters:
    ///   - name: the name of the family, such as `shop_pears`.
    ///   - value: the value now; NaN and infinities are written too.
    ///   - unit: the unit, such as `seconds` or `bytes`; empty for none.
    ///   - labels: the labels of this series.
    ///   - help: a sentence about the family; empty for none.
    public static func gauge(
      _ name: String, _ value: Double, unit: String = "", labels: [String: String] = [:], help: String
    ) -> Series {
      Series(name: name, value: .gauge(value), unit: unit, labels: labels, help: help)
    }

    /// Creates a series of a value that only grows.
    ///
    /// - Parameters:
    ///   - name: the name of the family, such as `shop_payments`.
    ///   - value: the value since the program was started; a negative one and NaN are written as 0, which the format asks for.
    ///   - unit: the unit, such as `seconds` or `bytes`; empty for none.
    ///   - labels: the labels of this series.
    ///   - help: a sentence about the family; empty for none.
    public static func counter(
      _ name: String, _ value: Double, unit: String = "", labels: [String: String] = [:], help: String
    ) -> Series {
      Series(name: name, value: .counter(value > 0 ? value : 0), unit: unit, labels: labels, help: help)
    }

    /// Creates a series of durations, in seconds, with the bounds of the store's own histograms.
    ///
    /// - Parameters:
    ///   - name: the name of the family, such as `shop_delivery_time`.
    ///   - durations: the durations since the program was started.
    ///   - labels: the labels of this series.
    ///   - help: a sentence about the family; empty for none.
    public static func histogram(
      _ name: String, _ durations: Histogram, labels: [String: String] = [:], help: String
    ) -> Series {
      Series(name: name, value: .histogram(durations), unit: "seconds", labels: labels, help: help)
    }
  }
}

extension OpenMetricsText {
  /// Series of the same kind, name and unit.
  private struct Family: Hashable {
    let kind: Kind
    /// The legal name without the unit, and without the ending of a counter.
    let name: String
    let unit: String

    init(of series: Metrics.Series) {
      kind =
        switch series.value {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram: .histogram
        }
      unit = series.unit.isEmpty ? "" : OpenMetricsText.legal(series.unit)
      var name = OpenMetricsText.legal(series.name)[...]
      for ending in [kind == .counter ? "_total" : "", unit.isEmpty ? "" : "_" + unit]
      where name.hasSuffix(ending) && name != ending {
        name.removeLast(ending.count)
      }
      self.name = String(name)
    }
  }

  /// Adds the families of these series, in the order of their first series.
  mutating func add(_ series: [Metrics.Series]) { add(series.map { (nil, $0) }) }

  /// Adds the families of series of stores, in the order of their first series; nil for the labels of the text.
  mutating func add(_ series: [(store: [Label]?, series: Metrics.Series)]) {
    var order: [Family] = []
    var families: [Family: [(store: [Label]?, series: Metrics.Series)]] = [:]
    for element in series {
      let family = Family(of: element.series)
      if families[family] == nil { order.append(family) }
      families[family, default: []].append(element)
    }
    for family in order { add(family, families[family] ?? []) }
  }

  private mutating func add(_ family: Family, _ series: [(store: [Label]?, series: Metrics.Series)]) {
    let name = begin(family.name, family.kind, unit: family.unit, help: series.first?.series.help ?? "")
    var samples: [(labels: [Label], value: Metrics.Series.Value)] = []
    var indices: [String: Int] = [:]
    for (store, series) in series {
      let labels = labels(with: series.labels.filter { !$0.value.isEmpty }, over: store)
      let text = Self.text(of: labels)
      if let index = indices[text] {
        samples[index].value = series.value
      } else {
        indices[text] = samples.count
        samples.append((labels, series.value))
      }
    }
    for (labels, value) in samples {
      switch value {
      case .counter(let value): add(name + "_total", Self.number(value), labels)
      case .gauge(let value): add(name, Self.number(value), labels)
      case .histogram(let durations): addSamples(of: durations, to: name, labels)
      }
    }
  }
}
