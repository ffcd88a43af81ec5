/// A distribution of durations, in bounded memory and with an error of less than 1 %.
///
/// It follows HdrHistogram by Gil Tene: the buckets are as wide as a nanosecond below 128 ns, and every octave above, up to
/// 2^44 ns (about 4.9 hours), is divided into 64 buckets of the same width. A quantile is the middle of its bucket, and so at
/// most 0.79 % off. Longer durations are counted in the last bucket; ``maximum``, ``mean`` and ``total`` stay exact.
///
/// **Memory.** A histogram has the buckets from its shortest to its longest duration, in groups of 16: none while it is empty, about
/// 160 bytes for one duration, about 10 KB for durations from a microsecond to a second, and 2,496 buckets, about 20 KB, at the most.
/// Copies share them until one of them changes.
///
/// **Units.** Durations are taken in whole nanoseconds, rounded down; a negative one counts as 0.
public struct Histogram: Sendable, Equatable {
  /// The number of bits of a value, after its first, that choose the bucket within its octave: 6, for 64 buckets.
  private static let precision = 6

  /// From here on, in nanoseconds, all values share the last bucket.
  private static let limit: Int64 = 1 << 44

  /// The number of buckets that are allocated together.
  private static let group = 16

  /// The counts of the buckets from `firstBucket` on: whole groups, from that of the least value to that of the greatest.
  private var counts: [Int] = []

  /// The first bucket that has a count here, a multiple of `group`; 0 while there is none.
  private var firstBucket = 0

  /// The number of durations that were recorded.
  public private(set) var count = 0

  /// The least value, in nanoseconds; `Int64.max` while there is none, so that the first is less.
  private var least = Int64.max

  /// The greatest value, in nanoseconds; 0 while there is none.
  private var greatest: Int64 = 0

  /// The sum in nanoseconds, which 2^64 of the longest durations fit into.
  private var sum: Int128 = 0

  /// A histogram of nothing.
  public init() {}

  /// Counts a duration; a negative one as 0, and one of more than 292 years as 292 years.
  public mutating func record(_ duration: Duration) {
    record(nanoseconds: Self.nanoseconds(of: duration))
  }

  /// Counts a duration of this many nanoseconds; a negative one as 0.
  @usableFromInline
  package mutating func record(nanoseconds: Int64) {
    let value = max(nanoseconds, 0)
    let bucket = Self.bucket(of: value)
    if !counts.indices.contains(bucket &- firstBucket) { allocate(bucket...bucket) }
    counts[bucket &- firstBucket] &+= 1
    count &+= 1
    sum &+= Int128(value)
    least = min(least, value)
    greatest = max(greatest, value)
  }

  /// Counts all that the other has counted; the result is as if both had been recorded here.
  public mutating func merge(_ other: Histogram) {
    guard other.count != 0 else { return }
    allocate(other.firstBucket...(other.firstBucket + other.counts.count - 1))
    let shift = other.firstBucket - firstBucket
    for (index, count) in other.counts.enumerated() { counts[index + shift] &+= count }
    count &+= other.count
    sum &+= other.sum
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
  }

  /// Allocates the groups of these buckets, and all groups between them and the present ones.
  ///
  /// The allocated buckets are one range, so that the record of a duration finds its bucket by one subtraction. The range depends on the
  /// durations only, so that equal histograms have equal counts in whatever order the durations came.
  private mutating func allocate(_ buckets: ClosedRange<Int>) {
    var first = buckets.lowerBound & ~(Self.group - 1)
    var end = (buckets.upperBound | (Self.group - 1)) + 1
    if !counts.isEmpty { (first, end) = (min(first, firstBucket), max(end, firstBucket + counts.count)) }
    guard end - first > counts.count else { return }
    var grown = [Int](repeating: 0, count: end - first)
    for (index, count) in counts.enumerated() { grown[firstBucket - first + index] = count }
    (counts, firstBucket) = (grown, first)
  }
}

extension Histogram {
  /// The shortest duration, exactly; nil when there is none.
  public var minimum: Duration? {
    count == 0 ? nil : .nanoseconds(least)
  }

  /// The longest duration, exactly; nil when there is none.
  public var maximum: Duration? {
    count == 0 ? nil : .nanoseconds(greatest)
  }

  /// The sum of all durations divided by their count, in whole nanoseconds, rounded down; nil when there is none.
  public var mean: Duration? {
    count == 0 ? nil : .nanoseconds(Int64(clamping: sum / Int128(count)))
  }

  /// The sum of all durations, exactly; `Duration.seconds(Int64.max)` when it is more.
  public var total: Duration {
    let longest = Int128(Int64.max) * 1_000_000_000
    return Duration(attoseconds: min(sum, longest) * 1_000_000_000)
  }

  /// The shortest duration that a part `q` of all durations does not exceed; nil when there is none.
  ///
  /// It is at most 0.79 % off; the quantile of 0 is ``minimum`` and the quantile of 1 is ``maximum``, exactly. One that lies beyond 2^44 ns
  /// is reported as at least 2^44 ns less 0.79 %, and never as more than ``maximum``.
  ///
  /// - Parameter q: the part, from 0 to 1: 0.5 for the median, 0.99 for the 99th percentile. What is less, or not a number,
  ///   is taken as 0; what is more as 1.
  public func quantile(_ q: Double) -> Duration? {
    guard q > 0 else { return minimum }
    guard q < 1 else { return maximum }
    // The number before `q`: 0.07 * 100 is a little more than 7, and must not ask for the 8th.
    let share = q.nextDown * Double(count)
    var rank = Int(share)
    if Double(rank) < share { rank += 1 }
    for (index, count) in counts.enumerated() where count != 0 {
      rank &-= count
      if rank <= 0 { return .nanoseconds(min(max(Self.middle(of: firstBucket + index), least), greatest)) }
    }
    return maximum
  }

  /// The number of durations that were recorded up to the end of the bucket of the bound.
  ///
  /// All that are not above the bound are counted, and those above it by less than 1.6 % may be. For a bound below 0 it is
  /// 0; for one of 2^44 ns or more it is ``count``.
  public func count(upTo bound: Duration) -> Int {
    guard bound >= .zero else { return 0 }
    return counts.prefix(max(Self.bucket(of: Self.nanoseconds(of: bound)) - firstBucket + 1, 0)).reduce(0, &+)
  }
}

extension Histogram {
  /// The bucket of a value in nanoseconds that is not negative.
  ///
  /// Below 128 it is the value itself. Above, as many of its last bits are dropped as leave a number from 64 to 127, and each
  /// bit dropped stands for the 64 buckets of an octave.
  private static func bucket(of value: Int64) -> Int {
    let value = min(value, limit - 1)
    let dropped = (63 &- precision) &- (value | (1 &<< precision)).leadingZeroBitCount
    return (dropped &<< precision) &+ Int(truncatingIfNeeded: value &>> dropped)
  }

  /// The value in the middle of a bucket, in nanoseconds.
  private static func middle(of bucket: Int) -> Int64 {
    let dropped = max((bucket >> precision) - 1, 0)
    let first = Int64(bucket - (dropped << precision)) << dropped
    return first + (1 << dropped) / 2
  }

  /// A duration in whole nanoseconds, rounded down, from 0 to `Int64.max`.
  private static func nanoseconds(of duration: Duration) -> Int64 {
    // A nanosecond is 2^9 * 5^9 attoseconds. Less the 2^9, 2.6 hours fit into a word, whose division is a multiplication.
    let parts = duration.attoseconds >> 9
    if let word = UInt64(exactly: parts) { return Int64(word / 1_953_125) }
    return parts < 0 ? 0 : Int64(clamping: parts / 1_953_125)
  }
}

extension Histogram: CustomStringConvertible {
  /// The count, median, 99th percentile and maximum, in one line.
  public var description: String {
    guard let median = quantile(0.5), let high = quantile(0.99), let maximum else { return "count 0" }
    return "count \(count), median \(Self.text(median)), p99 \(Self.text(high)), maximum \(Self.text(maximum))"
  }

  /// A duration to a tenth of the unit that suits it.
  package static func text(_ duration: Duration) -> String {
    let value = nanoseconds(of: duration)
    if value < 1_000 { return "\(value) ns" }
    for (unit, size) in [("µs", 1_000 as Int64), ("ms", 1_000_000)] where value < size * 1_000 - size / 20 {
      return text(value, in: unit, of: size)
    }
    return text(value, in: "s", of: 1_000_000_000)
  }

  private static func text(_ value: Int64, in unit: String, of size: Int64) -> String {
    let tenths = (value / (size / 20) + 1) / 2
    return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
  }
}
