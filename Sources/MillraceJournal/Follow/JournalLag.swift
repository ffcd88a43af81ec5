import Millrace

/// The part of a journal that a reader has not read yet.
public struct JournalLag: Sendable, Hashable {
  /// The number of records.
  public let records: Int

  /// The time since the first of these was stored, by the wall time of both processes; zero if there is none.
  public let time: Duration

  static let none = JournalLag(records: 0, time: .zero)

  /// - Parameters:
  ///   - records: the number of records.
  ///   - first: the wall time of the first one; nil if it is not known.
  ///   - now: the wall time.
  init(records: Int, since first: Int64?, at now: Int64) {
    let (age, isTooLong) = now.subtractingReportingOverflow(first ?? now)
    self.init(records: records, time: .milliseconds(isTooLong ? 0 : max(age, 0)))
  }

  private init(records: Int, time: Duration) {
    self.records = records
    self.time = time
  }

  /// Both together: the records of both, and the longer time.
  static func + (left: JournalLag, right: JournalLag) -> JournalLag {
    JournalLag(records: left.records + right.records, time: max(left.time, right.time))
  }
}
