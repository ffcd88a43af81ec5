extension Thresholds {
  /// The part of a ratio by which a row may be above its threshold.
  static let slack = 0.15

  /// Makes thresholds from the figures of a run.
  init(of measured: [(row: Row, figures: Figures)]) {
    self.init()
    for (row, figures) in measured {
      if let limit = row.limit(figures) { limits[row.name] = limit }
    }
  }

  /// A sentence for each measured row whose figures have no threshold, and for each threshold without one of `rows`.
  func unmatched(_ measured: [(row: Row, figures: Figures)], among rows: [Row]) -> [String] {
    let absent = measured.compactMap { row, figures -> String? in
      guard row.limit(figures) != nil, limits[row.name] == nil else { return nil }
      return "\(row.name) has no threshold."
    }
    let superfluous = limits.keys.sorted().compactMap { name -> String? in
      guard let row = rows.first(where: { $0.name == name }) else { return "The threshold of \(name) has no row." }
      return row.isGated ? nil : "The threshold of \(name) is not checked, because the figures of this row have none."
    }
    return absent + superfluous
  }

  /// A sentence for each figure of the row that its thresholds forbid.
  func failures(of row: Row, _ figures: Figures) -> [String] {
    guard let limit = limits[row.name], let figure = row.limit(figures) else { return [] }
    var failures: [String] = []
    if let threshold = limit.ratio, let ratio = figure.ratio, ratio > threshold * (1 + Self.slack) {
      failures.append(
        "\(row.name): the ratio of processor times is \(rounded(ratio, digits: 3)), more than 15 % above its threshold of "
          + "\(rounded(threshold, digits: 3)).")
    }
    // A file has four digits of the number of allocations.
    if let threshold = limit.allocations, let allocations = figure.allocations, let slack = row.gate.allocationSlack,
      abs(allocations - threshold) > slack + 0.000_05
    {
      failures.append(
        "\(row.name): the number of allocations an item is \(rounded(allocations, digits: 4)), and its threshold is "
          + "\(rounded(threshold, digits: 4)).")
    }
    return failures
  }
}

extension Row {
  /// Whether a figure of the row has a threshold.
  var isGated: Bool { reference != nil && (gate.hasRatio || gate.allocationSlack != nil) }

  /// The figures that thresholds of this row are made from, or are compared with; nil if there are none.
  func limit(_ figures: Figures) -> Thresholds.Limit? {
    guard isGated else { return nil }
    let limit = Thresholds.Limit(
      ratio: gate.hasRatio && !figures.cpuRatios.isEmpty ? median(figures.cpuRatios) : nil,
      allocations: gate.allocationSlack == nil ? nil : figures.allocations)
    return limit == Thresholds.Limit() ? nil : limit
  }
}
