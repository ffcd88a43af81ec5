import MillraceBenchmarksSystem

/// Measures rows, each in turn with its reference.
struct Suite {
  /// A row is done when the median of its ratios is off by at most this part of it, with a confidence of 95 %.
  static let tight = 0.05

  /// A row is done after this time, tight or not.
  static let longest = Duration.seconds(20)

  /// The least number of rounds whose interval of confidence is narrower than all of them.
  static let leastRounds = 7

  /// The number of rounds that count the allocations of a row.
  ///
  /// The fewest allocations apply, because the way in which threads interleave adds some. A row without a threshold needs
  /// fewer rounds, and a quick run, which shows only that the row runs, one.
  func countingRounds(of row: Row) -> Int {
    if size == .quick { return 1 }
    return row.gate.allocationSlack == nil ? 5 : 40
  }

  let rows: [Row]
  let size: Size

  /// The time of each row, tight or not; nil to measure until a row is tight.
  let time: Duration?

  /// Whether an open counter counts instructions.
  let countsInstructions: Bool

  private let now: () -> Duration
  private var figures: [String: Figures] = [:]

  /// - Parameter now: the time since some moment.
  init(rows: [Row], size: Size, time: Duration? = nil, countsInstructions: Bool = false, now: (() -> Duration)? = nil) {
    let start = ContinuousClock.now
    self.rows = rows
    self.size = size
    self.time = time
    self.countsInstructions = countsInstructions
    self.now = now ?? { ContinuousClock.now - start }
  }

  /// Measures the rows that `isChosen`, and the references they need; calls `each` with every row when it is done.
  mutating func run(where isChosen: (Row) -> Bool, each: (Row, Figures) -> Void) async throws {
    let byName = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0) })
    let chosen = rows.filter(isChosen)
    for row in chosen {
      guard let name = row.reference, let reference = byName[name] else { continue }
      try await alternate(row, reference)
      try await count(row)
      each(row, figures[row.name, default: Figures()])
    }
    let needed = Set(chosen.compactMap(\.reference)).union(chosen.map(\.name))
    for row in rows where row.reference == nil && needed.contains(row.name) {
      if figures[row.name] == nil {
        _ = try await row.measure(.quick)
        let start = now()
        repeat {
          figures[row.name, default: Figures()].add(try await row.measure(size))
        } while !isDone(row, since: start)
      }
      try await count(row)
      each(row, figures[row.name, default: Figures()])
    }
  }

  private mutating func alternate(_ row: Row, _ reference: Row) async throws {
    _ = try await row.measure(.quick)
    _ = try await reference.measure(.quick)
    let start = now()
    var isRowFirst = false
    repeat {
      let early = isRowFirst ? try await row.measure(size) : nil
      let other = try await reference.measure(size)
      let figure = if let early { early } else { try await row.measure(size) }
      isRowFirst.toggle()
      figures[row.name, default: Figures()].add(figure, over: other)
      if reference.reference == nil { figures[reference.name, default: Figures()].add(other) }
    } while !isDone(row, since: start)
  }

  /// Counts allocations and instructions, each in rounds that are not timed, because counting takes time and instructions.
  private mutating func count(_ row: Row) async throws {
    if millrace_can_count_allocations() {
      millrace_count_allocations(true)
      defer { millrace_count_allocations(false) }
      var fewest: Double?
      for _ in 0..<countingRounds(of: row) {
        guard let count = try await row.measure(.quick).allocations else { break }
        fewest = min(fewest ?? count, count)
      }
      figures[row.name, default: Figures()].allocations = fewest
    }
    if countsInstructions {
      millrace_count_instructions(true)
      defer { millrace_count_instructions(false) }
      figures[row.name, default: Figures()].instructions = try await row.measure(.quick).instructions
    }
  }

  private func isDone(_ row: Row, since start: Duration) -> Bool {
    guard size != .quick, let figures = figures[row.name] else { return true }
    if figures.rounds < Suite.leastRounds { return false }
    if let time { return now() - start >= time }
    return now() - start >= Suite.longest || uncertainty(figures.compared).map { $0 <= Suite.tight } ?? false
  }
}
