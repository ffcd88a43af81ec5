import MillraceTesting
import Testing

@testable import Millrace

@Suite("Histogram")
struct HistogramTests {
  /// From here on all values share the last bucket, in nanoseconds.
  static let limit: Int64 = 1 << 44

  private func histogram(of values: some Sequence<Int64>) -> Histogram {
    var histogram = Histogram()
    for value in values { histogram.record(nanoseconds: value) }
    return histogram
  }

  @Test("An empty histogram has a count and a total of 0, and no other number")
  func anEmptyHistogramHasNoNumbers() {
    let empty = Histogram()
    #expect(empty.count == 0)
    #expect(empty.total == .zero)
    #expect(empty.minimum == nil)
    #expect(empty.maximum == nil)
    #expect(empty.mean == nil)
    #expect([0, 0.5, 1].allSatisfy { empty.quantile($0) == nil })
    #expect(empty.count(upTo: .seconds(1_000_000)) == 0)
  }

  @Test(
    "Count, minimum, maximum, mean and total are exact, and a negative value counts as 0",
    arguments: [
      ([0], 0, 0, 0, 0),
      ([-1], 0, 0, 0, 0),
      ([Int64.min, 7], 0, 7, 3, 7),
      ([1_000_003, 1_000_001], 1_000_001, 1_000_003, 1_000_002, 2_000_004),
      ([1, 2, 2], 1, 2, 1, 5),
      ([limit - 1, limit, limit + 1], limit - 1, limit + 1, limit, 3 * limit),
      ([Int64.max], Int64.max, Int64.max, Int64.max, Int64.max),
    ] as [([Int64], Int64, Int64, Int64, Int64)])
  func theSimpleNumbersAreExact(values: [Int64], minimum: Int64, maximum: Int64, mean: Int64, total: Int64) {
    let histogram = histogram(of: values)
    #expect(histogram.count == values.count)
    #expect(histogram.minimum == .nanoseconds(minimum))
    #expect(histogram.maximum == .nanoseconds(maximum))
    #expect(histogram.mean == .nanoseconds(mean))
    #expect(histogram.total == .nanoseconds(total))
  }

  @Test(
    "A duration is taken in whole nanoseconds, rounded down, and from 0 to 292 years",
    arguments: [
      (Duration.zero, 0),
      (Duration(attoseconds: 999_999_999), 0),
      (Duration(attoseconds: 1_000_000_000), 1),
      (Duration(attoseconds: 1_999_999_999), 1),
      (Duration(attoseconds: -1), 0),
      (.seconds(-1), 0),
      (Duration(attoseconds: Int128.min), 0),
      (.microseconds(1), 1_000),
      (.seconds(1), 1_000_000_000),
      // Where a word no longer holds the attoseconds less nine bits.
      (Duration(attoseconds: (1 << 73) - 1), 9_444_732_965_739),
      (Duration(attoseconds: 1 << 73), 9_444_732_965_739),
      (.seconds(9_445) + .nanoseconds(7), 9_445_000_000_007),
      (.nanoseconds(Int64.max), Int64.max),
      (.nanoseconds(Int64.max) + .nanoseconds(1), Int64.max),
      (.seconds(Int64.max), Int64.max),
      (Duration(attoseconds: Int128.max), Int64.max),
    ] as [(Duration, Int64)])
  func aDurationIsTakenInWholeNanoseconds(duration: Duration, nanoseconds: Int64) {
    var histogram = Histogram()
    histogram.record(duration)
    #expect(histogram.maximum == .nanoseconds(nanoseconds))
    #expect(histogram == self.histogram(of: [nanoseconds]))
  }

  @Test("A value below 128 ns has a bucket of its own")
  func smallValuesAreExact() {
    for value in 0..<128 as Range<Int64> {
      #expect(histogram(of: [0, value, 1_000]).quantile(0.5) == .nanoseconds(value))
    }
  }

  @Test("A quantile beside a power of two is at most 0.79 % off", arguments: 1...43)
  func quantilesBesidePowersOfTwo(exponent: Int) throws {
    let power = Int64(1) << exponent
    for value in [power - 1, power, power + 1, power + power / 2] {
      let median = try #require(histogram(of: [0, value, .max]).quantile(0.5))
      let error = abs(median / .nanoseconds(1) - Double(value)) / Double(value)
      #expect(error <= 0.0079, "\(value) ns is reported as \(median)")
    }
  }

  @Test("A quantile is at most 0.79 % off the value of its rank", arguments: 0...12, [1, 2, 100, 10_007])
  func quantilesAreCloseToTheValuesOfTheirRanks(magnitude: Int, count: Int) throws {
    var random = SeededGenerator(seed: UInt64(magnitude * 100_000 + count))
    let unit = (0..<magnitude).reduce(1 as Int64) { power, _ in power * 10 }
    let values = (0..<count).map { _ in Int64.random(in: unit...10 * unit, using: &random) }
    try checkQuantiles(of: values)
  }

  @Test("A quantile is at most 0.79 % off where all magnitudes are mixed", arguments: 1...8 as ClosedRange<UInt64>)
  func quantilesOfMixedMagnitudes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try checkQuantiles(of: (0..<20_000).map { _ in random.nanoseconds(below: Self.limit) })
  }

  /// Compares with the sorted values.
  ///
  /// The parts are in millionths, so that the ranks are computed in integers.
  private func checkQuantiles(of values: [Int64]) throws {
    let histogram = histogram(of: values)
    let sorted = values.sorted()
    for part in [1, 1_000, 10_000, 70_000, 250_000, 500_000, 900_000, 950_000, 990_000, 999_000, 999_999] {
      let rank = (part * values.count + 999_999) / 1_000_000
      let exact = Double(sorted[rank - 1])
      let quantile = try #require(histogram.quantile(Double(part) / 1_000_000))
      #expect(abs(quantile / .nanoseconds(1) - exact) <= exact * 0.0079, "\(part) millionths of \(values.count)")
    }
    #expect(histogram.quantile(0) == .nanoseconds(sorted[0]))
    #expect(histogram.quantile(1) == .nanoseconds(sorted[sorted.count - 1]))
  }

  @Test(
    "A part below 0 or that is no number asks for the minimum, one above 1 for the maximum, both exact",
    arguments: [
      (-0.0, 1_000_003), (-1, 1_000_003), (-.infinity, 1_000_003), (.nan, 1_000_003), (.signalingNaN, 1_000_003),
      (1.000_000_1, 2_000_003), (.infinity, 2_000_003), (.greatestFiniteMagnitude, 2_000_003),
    ] as [(Double, Int64)])
  func partsOutOfRange(part: Double, nanoseconds: Int64) {
    #expect(histogram(of: [2_000_003, 1_000_003]).quantile(part) == .nanoseconds(nanoseconds))
  }

  @Test(
    "The least and the greatest part there are ask for the first and the last rank",
    arguments: [(Double.leastNonzeroMagnitude, 5), (1.0.nextDown, 9)] as [(Double, Int64)])
  func extremeParts(part: Double, nanoseconds: Int64) {
    #expect(histogram(of: [5, 7, 9]).quantile(part) == .nanoseconds(nanoseconds))
  }

  @Test("A quantile beyond 2^44 ns is between that and the maximum")
  func quantilesBeyondTheLimit() throws {
    let quantile = try #require(histogram(of: [1, 1 << 50, 1 << 60]).quantile(0.5))
    #expect(quantile / .nanoseconds(1) >= Double(Self.limit) * 0.9921)
    #expect(quantile <= .nanoseconds(1 << 60))
  }

  @Test("A quantile is never outside the minimum and the maximum")
  func quantilesStayWithinTheValues() {
    // The middle of their bucket is 1,003,520.
    #expect(histogram(of: [1_000_000, 1_000_001, 1_000_002]).quantile(0.5) == .nanoseconds(1_000_002))
    #expect(histogram(of: [1_005_000, 1_005_001, 1_005_002]).quantile(0.5) == .nanoseconds(1_005_000))
    #expect(histogram(of: [.max, .max]).quantile(0.5) == .nanoseconds(Int64.max))
  }

  @Test("A merged histogram equals one that recorded both", arguments: 1...20 as ClosedRange<UInt64>)
  func mergingEqualsRecordingBoth(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let values = (0..<200).map { _ in random.nanoseconds(below: .max) - 9 }
    let (first, second) = (Array(values.prefix(Int(seed) * 10)), Array(values.dropFirst(Int(seed) * 10)))
    var merged = histogram(of: first)
    merged.merge(histogram(of: second))
    #expect(merged == histogram(of: first + second))
    var turned = histogram(of: second)
    turned.merge(histogram(of: first))
    #expect(turned == merged)
  }

  @Test("Merging an empty histogram changes nothing, and merging into one makes a copy")
  func mergingWithAnEmptyHistogram() {
    let some = histogram(of: [3, 5_000_000])
    var merged = some
    merged.merge(Histogram())
    #expect(merged == some)
    merged = Histogram()
    merged.merge(some)
    #expect(merged == some)
    merged = Histogram()
    merged.merge(Histogram())
    #expect(merged == Histogram())
    #expect(merged.minimum == nil)
  }

  @Test("A total that no `Duration` of whole seconds holds is reported as the longest, and the mean stays exact")
  func theTotalIsBounded() {
    var histogram = histogram(of: [.max])
    for _ in 0..<29 { histogram.merge(histogram) }
    #expect(histogram.total == .nanoseconds(Int64.max) * (1 << 29))
    histogram.merge(histogram)
    #expect(histogram.total == .seconds(Int64.max))
    #expect(histogram.count == 1 << 30)
    #expect(histogram.mean == .nanoseconds(Int64.max))
  }

  @Test("Copies are independent, and what one empty histogram records no other has")
  func copiesAreIndependent() {
    var first = Histogram()
    let empty = first
    first.record(.milliseconds(1))
    let second = first
    first.record(.milliseconds(2))
    #expect(empty == Histogram())
    #expect(Histogram().count(upTo: .seconds(1)) == 0)
    #expect(second.count(upTo: .seconds(1)) == 1)
    #expect(first.count(upTo: .seconds(1)) == 2)
  }

  @Test(
    "The buckets are those from the shortest to the longest duration, in groups of 16",
    arguments: [
      ([], 0), ([0], 16), ([15], 16), ([16], 16), ([15, 16], 32), ([16, 15], 32), ([127, 128], 32), ([0, 40], 48),
      // A quarter of an octave.
      ([1_024, 1_279], 16), ([1_024, 1_280], 32), ([1_000_000_000], 16), ([1_000, 1_000_000_000], 1_296),
      ([limit - 1], 16), ([0, limit], 2_496),
    ] as [([Int64], Int)])
  func memoryFollowsTheRange(values: [Int64], count: Int) throws {
    #expect(try bucketCount(of: histogram(of: values)) == count)
    var merged = Histogram()
    for value in values.reversed() { merged.merge(histogram(of: [value])) }
    #expect(merged == histogram(of: values))
  }

  @Test("The buckets are at most 2,496, whatever is recorded")
  func memoryIsBounded() throws {
    var histogram = Histogram()
    var random = SeededGenerator(seed: 7)
    for _ in 0..<100_000 { histogram.record(nanoseconds: .random(in: .min ... .max, using: &random)) }
    histogram.merge(self.histogram(of: [0, Self.limit, .max]))
    #expect(try bucketCount(of: histogram) == 2_496)
  }

  private func bucketCount(of histogram: Histogram) throws -> Int {
    try #require(Mirror(reflecting: histogram).descendant("counts") as? [Int]).count
  }

  @Test(
    "All that were recorded up to the end of the bound's bucket are counted",
    arguments: [
      (.seconds(-1), 0), (Duration(attoseconds: -1), 0), (.zero, 1), (.nanoseconds(99), 1), (.nanoseconds(100), 2),
      (.nanoseconds(101), 2), (.microseconds(999), 2), (.milliseconds(1), 4), (.nanoseconds(1_007_615), 4),
      (.nanoseconds(1_007_616), 5), (.seconds(3_600), 5), (.seconds(17_592), 6), (.nanoseconds(1 << 44), 6),
      (.seconds(Int64.max), 6),
    ] as [(Duration, Int)])
  func countUpToABound(bound: Duration, count: Int) {
    // The bucket of a millisecond ends before 1,007,616 ns.
    let histogram = histogram(of: [0, 100, 1_000_000, 1_007_615, 1_007_616, .max])
    #expect(histogram.count(upTo: bound) == count)
  }

  @Test("Every value is counted up to itself, and none that is 1.6 % longer", arguments: 1...8 as ClosedRange<UInt64>)
  func countUpToEachValue(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let values = (0..<500).map { _ in random.nanoseconds(below: Self.limit) }
    let histogram = histogram(of: values)
    for value in values {
      let count = histogram.count(upTo: .nanoseconds(value))
      #expect(count >= values.count { $0 <= value })
      #expect(count <= values.count { Double($0) <= Double(value) * 1.016 })
    }
  }

  @Test(
    "The description is one line with units that suit",
    arguments: [
      ([], "count 0"),
      ([0], "count 1, median 0 ns, p99 0 ns, maximum 0 ns"),
      ([999], "count 1, median 999 ns, p99 999 ns, maximum 999 ns"),
      ([1_000], "count 1, median 1 µs, p99 1 µs, maximum 1 µs"),
      ([1_049], "count 1, median 1 µs, p99 1 µs, maximum 1 µs"),
      ([1_050], "count 1, median 1.1 µs, p99 1.1 µs, maximum 1.1 µs"),
      ([999_949], "count 1, median 999.9 µs, p99 999.9 µs, maximum 999.9 µs"),
      ([999_950], "count 1, median 1 ms, p99 1 ms, maximum 1 ms"),
      ([999_950_000], "count 1, median 1 s, p99 1 s, maximum 1 s"),
      ([1_200_000, 20, 3_400_000], "count 3, median 1.2 ms, p99 3.4 ms, maximum 3.4 ms"),
      ([18_000_500_000_000], "count 1, median 18000.5 s, p99 18000.5 s, maximum 18000.5 s"),
      ([.max], "count 1, median 9223372036.9 s, p99 9223372036.9 s, maximum 9223372036.9 s"),
    ] as [([Int64], String)])
  func theDescriptionIsOneLine(values: [Int64], description: String) {
    #expect(histogram(of: values).description == description)
  }
}
