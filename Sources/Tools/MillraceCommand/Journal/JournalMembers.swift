import Foundation
import MillraceFlags
import MillraceJournal

/// The list of the members of stores that processes share, and the removal of one that has ended.
struct JournalMembers {
  let journal: any MemberedJournal
  /// The words before the name of a command, for errors.
  let command: String
  /// The journal's place as the subject of a sentence.
  let place: String

  /// Lists all members under a line of headings, each with a line for its partitions.
  func list(_ write: (String) throws -> Void) async throws {
    try write(Self.line("MEMBER", "LEASE", "PARTITIONS", "STORES", "ADDRESS", "PROCESS") + "\n")
    for found in try await journal.listedMembers() {
      let member = found.member
      let lines = [
        Self.line(
          "\(member.id)", Self.lease(found.lease), "\(found.partitions.count)", member.stores, member.address ?? "-",
          "\(member.process)"),
        found.partitions.isEmpty ? nil : "  partitions  \(Self.ranges(found.partitions))",
      ]
      for line in lines.compactMap({ $0 }) { try write(line.shownOnOneLine() + "\n") }
    }
  }

  /// Removes a member whose lease has ended, and returns a sentence.
  ///
  /// - Throws: ``CommandFailure`` for another one.
  func forget(_ text: String) async throws -> String {
    guard let found = try await journal.listedMembers().first(where: { "\($0.member.id)" == text }) else {
      throw CommandFailure(
        "\(place) has no member \(FlagError.quoted(text)); \(command) members lists those it has.", code: EX_DATAERR)
    }
    guard try await journal.forget(found.member.id) else {
      throw CommandFailure(
        """
        The member \(text) has a lease (\(Self.lease(found.lease))), so its process may still run; stop that, which ends the lease, or wait until the lease \
        has ended.
        """, code: EX_DATAERR)
    }
    return "The member \(text) is forgotten, and its partitions (\(found.partitions.count)) are free."
  }

  /// What is left of a lease, or the time since its end.
  static func lease(_ rest: Duration) -> String {
    let seconds = Int(rest.components.seconds)
    return rest > .zero ? "for \(age(seconds))" : "ended \(age(-seconds)) ago"
  }

  /// Seconds in their largest unit.
  static func age(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds)s"
    case ..<3_600: "\(seconds / 60)m"
    case ..<86_400: "\(seconds / 3_600)h"
    default: "\(seconds / 86_400)d"
    }
  }

  /// Numbers in ascending order, those that follow each other as ranges.
  static func ranges(_ numbers: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ", ")
  }

  private static func line(
    _ member: String, _ lease: String, _ partitions: String, _ stores: String, _ address: String, _ process: String
  ) -> String {
    [
      member.padded(to: 32), lease.padded(to: 14), partitions.padded(to: 10, isNumber: true), stores.padded(to: 8),
      address.padded(to: 20), process,
    ].joined(separator: "  ")
  }
}
