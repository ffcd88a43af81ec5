import Foundation
import Millrace
import MillraceJournal

/// The name of a pulse in a cluster, and digests of its configuration, which all members have in common.
///
/// Both are the address of the member in the database, so that each one sees the configurations of the others with their leases.
struct ClusterMember: Sendable, Equatable, CustomStringConvertible {
  /// The parts of the configuration on which the members have to agree.
  private enum Part: String, CaseIterable {
    case targets, rules, webhooks, interval
  }

  let name: String
  /// The digests of the parts, in their order.
  private let digests: [String]

  /// Creates the member of a process with this configuration; the order of its URLs and rules does not matter.
  init(name: String, plan: MonitoringService.Plan) {
    self.name = name
    digests = Part.allCases.map { part in
      switch part {
      case .targets: Self.digest(of: plan.endpoints)
      case .rules: Self.digest(of: plan.rules)
      case .webhooks: Self.digest(of: plan.webhooks)
      case .interval: Self.digest(of: [plan.interval])
      }
    }
  }

  /// Reads the address of a member; nil for one that no pulse of this version has written.
  init?(address: String) {
    let words = address.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let count = Part.allCases.count
    guard words.count > count else { return nil }
    var digests: [String] = []
    for (part, word) in zip(Part.allCases, words.suffix(count)) {
      guard word.hasPrefix("\(part)=") else { return nil }
      digests.append(String(word.dropFirst(part.rawValue.count + 1)))
    }
    (name, self.digests) = (words.dropLast(count).joined(separator: " "), digests)
  }

  /// The address.
  var description: String {
    name + zip(Part.allCases, digests).map { " \($0)=\($1)" }.joined()
  }

  /// The reason for which this process may not be a member beside another one, as a sentence with the fix; nil if it may.
  func objection(to other: JournalMember) -> String? {
    let address = other.address ?? ""
    guard let member = ClusterMember(address: address) else {
      return "the member \"\(address)\" is a pulse of another version; end it, or run the same version here."
    }
    let differing = zip(Part.allCases, zip(digests, member.digests)).filter { $1.0 != $1.1 }.map(\.0.rawValue)
    if differing.isEmpty { return nil }
    return
      "its \(differing.joined(separator: ", ")) differ from those of the member \"\(member.name)\"; give all members the same "
      + "--watch, --targets, --alert, --rules, --notify and --every, or end the others first."
  }

  /// A digest of values, in whatever order.
  private static func digest(of values: [some Encodable]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let texts = values.map { value in (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
    // The hash of a text is that of a key with this name.
    return String(JournalKey(texts.sorted().joined(separator: "\n")).digest.description.prefix(16))
  }
}

extension [JournalMember] {
  /// The reason for which a process may not be one of these members; nil if it may.
  ///
  /// All have the configuration of the one that was started first: of two that join at the same time with two configurations the other one leaves.
  func objection(to member: ClusterMember) -> String? {
    self.min { ($0.process.time, $0.id) < ($1.process.time, $1.id) }.flatMap(member.objection)
  }
}
