import MillraceBenchmarksSystem
import Synchronization
import Testing

@testable import MillraceBenchmarks

@Suite("Suite of rows", .serialized)  // One test at a time counts allocations.
struct SuiteTests {
  /// The calls of the rows below, in order.
  final class Calls: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }
    func note(_ name: String) { names.withLock { $0.append(name) } }
  }

  private let calls = Calls()

  /// A row whose rounds give these figures, one after the other and again from the first; its warm-up gives none of them.
  private func row(
    _ name: String, _ figures: [Double], over reference: String? = nil, cpu: Double? = nil
  ) -> Row {
    let round = Mutex(0)
    return Row(name: name, reference: reference) { [calls] size in
      calls.note(size == .quick ? "\(name), warm-up" : name)
      if size == .quick { return Figure(value: -1) }
      let index = round.withLock { round in
        defer { round += 1 }
        return round % figures.count
      }
      return Figure(value: figures[index], cpu: cpu)
    }
  }

  /// Runs all rows; each look at the time is a second after the one before.
  private func run(
    _ rows: [Row], size: Size = .full, time: Duration? = nil, where isChosen: (Row) -> Bool = { _ in true }
  ) async throws -> [String: Figures] {
    let seconds = Mutex(0)
    var suite = Suite(rows: rows, size: size, time: time) {
      seconds.withLock { seconds in
        seconds += 1
        return .seconds(seconds)
      }
    }
    var figures: [String: Figures] = [:]
    try await suite.run(where: isChosen) { figures[$0.name] = $1 }
    return figures
  }

  @Test("A row whose ratios are alike ends after the fewest rounds; it and its reference are first in turn")
  func tight() async throws {
    let figures = try await run([row("a", [30], over: "b", cpu: 60), row("b", [10], cpu: 20)])
    #expect(figures["a"]?.values == Array(repeating: 30, count: 7))
    #expect(figures["a"]?.ratios == Array(repeating: 3, count: 7))
    #expect(figures["a"]?.cpuRatios == Array(repeating: 3, count: 7))
    #expect(figures["b"]?.values == Array(repeating: 10, count: 7))
    #expect(calls.all.prefix(6) == ["a, warm-up", "b, warm-up", "b", "a", "a", "b"])
  }

  @Test("Ratios are of one round, so that a slow machine does not change them")
  func drift() async throws {
    let figures = try await run([row("a", [3, 30, 300], over: "b"), row("b", [1, 10, 100])])
    #expect(figures["a"]?.rounds == 7)
    #expect(figures["a"]?.cpuRatios == [])
  }

  @Test("A row whose ratios differ is measured until the time is over")
  func loose() async throws {
    let figures = try await run([row("a", [1, 2], over: "b"), row("b", [1])])
    // From the seventh round on each looks at the time, which is 20 seconds later in the 26th.
    #expect(figures["a"]?.rounds == 26)
    #expect(try #require(uncertainty(figures["a"]?.compared ?? [])) > Suite.tight)
  }

  @Test("A reference that is asked for alone ends when its own figures are alike")
  func referenceAlone() async throws {
    let figures = try await run([row("a", [1], over: "b"), row("b", [5, 5.1])]) { $0.name == "b" }
    #expect(figures.keys.sorted() == ["b"])
    #expect(figures["b"]?.rounds == 7)
  }

  @Test(
    "A time ends a row, however much its ratios differ, and however little, but never before the fewest rounds",
    arguments: [(1, 7), (10, 16)])
  func time(seconds: Int, rounds: Int) async throws {
    let rows = [row("a", [1, 2], over: "b"), row("b", [1]), row("c", [1])]
    let figures = try await run(rows, size: .short, time: .seconds(seconds))
    #expect(figures["a"]?.rounds == rounds)
    #expect(figures["c"]?.rounds == rounds)
  }

  @Test("A quick run is one round of a hundredth of the work")
  func quick() async throws {
    let figures = try await run([row("a", [1], over: "b"), row("b", [1])], size: .quick)
    #expect(calls.all.prefix(4) == ["a, warm-up", "b, warm-up", "b, warm-up", "a, warm-up"])
    #expect(figures["a"]?.rounds == 1)
    #expect(figures["b"]?.rounds == 1)
    #expect(Size.quick.scaled(1_000_000) == 10_000)
    #expect(Size.short.scaled(1_000_000) == 100_000)
    #expect(Size.short.scaled(1_000) == 1_000)
    #expect(Size.full.scaled(1_000_000) == 1_000_000)
  }

  @Test("The fewest allocations of the rounds that count them apply")
  func fewest() async throws {
    // The first belongs to the warm-up, which is quick too.
    let counts = Mutex([1, 9, 7, 5] + Array(repeating: 6.0, count: 37))
    let row = Row(name: "a") { size in
      Figure(value: 1, allocations: size == .quick ? counts.withLock { $0.removeFirst() } : 0)
    }
    let figures = try await run([row])
    if millrace_can_count_allocations() {
      #expect(figures["a"]?.allocations == 5)
      #expect(counts.withLock { $0 } == [])
    }
  }

  @Test(
    "Allocations are counted in 40 rounds of a row that has a threshold for them, in 5 of any other, and in 1 of a quick run",
    arguments: [(Gate.near, Size.full, 40), (.severalThreads, .full, 5), (.near, .quick, 1)])
  func countingRounds(gate: Gate, size: Size, rounds: Int) {
    let suite = Suite(rows: [], size: size)
    var row = Row(name: "a") { _ in Figure(value: 1) }
    row.gate = gate
    #expect(suite.countingRounds(of: row) == rounds)
  }

  @Test("Allocations are counted for each item, in all threads, and in a round of their own alone")
  func allocations() async throws {
    let timed = Mutex<[Double]>([])
    let boxes = Row(name: "boxes") { size in
      let figure = await perItem(1_000) {
        await Task.detached { for number in 0..<3_000 { keep(Box(number)) } }.value
      }
      if size == .full { timed.withLock { $0.append(figure.allocations ?? -1) } }
      return figure
    }
    let figures = try await run([boxes])
    #expect(figures["boxes"]?.instructions == nil)
    #expect(timed.withLock { Set($0) } == [0])
    if millrace_can_count_allocations() {
      // The task allocates as well, and so may threads of other tests.
      #expect(try #require(figures["boxes"]?.allocations) >= 3)
    } else {
      #expect(figures["boxes"]?.allocations == nil)
    }
  }
}

private final class Box: Sendable {
  let number: Int

  init(_ number: Int) {
    self.number = number
  }
}

/// Keeps the compiler from leaving an object out.
@inline(never)
private func keep(_ box: Box) {
  withExtendedLifetime(box) {}
}
