/// The figures of one row over all rounds.
struct Figures: Sendable {
  var figures: [Double] = []

  /// Of each round, the figure over the reference's figure of that round; empty for a reference.
  var ratios: [Double] = []
}

/// Measures rows, each in turn with its reference.
struct Suite {
  let rows: [Row]
  let size: Size

  private var figures: [String: Figures] = [:]

  init(rows: [Row], size: Size) {
    self.rows = rows
    self.size = size
  }

  /// Measures the rows whose names contain `filter`, and the references they need; tells of each row when it is done.
  mutating func run(filter: String, each: (Row, Figures) -> Void) async throws {
    let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
    let chosen = rows.filter { filter.isEmpty || $0.name.contains(filter) }
    for row in chosen {
      guard let name = row.reference, let reference = byName[name] else { continue }
      try await alternate(row, reference)
      each(row, figures[row.name, default: Figures()])
    }
    let needed = Set(chosen.compactMap(\.reference)).union(chosen.map(\.name))
    for row in rows where row.reference == nil && needed.contains(row.name) {
      if figures[row.name] == nil {
        for _ in 0..<rounds(of: row) {
          figures[row.name, default: Figures()].figures.append(try await row.measure(size))
        }
      }
      each(row, figures[row.name, default: Figures()])
    }
  }

  private mutating func alternate(_ row: Row, _ reference: Row) async throws {
    _ = try await row.measure(.quick)
    _ = try await reference.measure(.quick)
    for round in 0..<rounds(of: row) {
      var pair = (row: 0.0, reference: 0.0)
      if round.isMultiple(of: 2) {
        pair.reference = try await reference.measure(size)
        pair.row = try await row.measure(size)
      } else {
        pair.row = try await row.measure(size)
        pair.reference = try await reference.measure(size)
      }
      figures[row.name, default: Figures()].figures.append(pair.row)
      figures[row.name, default: Figures()].ratios.append(pair.row / pair.reference)
      if reference.reference == nil {
        figures[reference.name, default: Figures()].figures.append(pair.reference)
      }
    }
  }

  private func rounds(of row: Row) -> Int {
    size == .full ? row.rounds : 1
  }
}
