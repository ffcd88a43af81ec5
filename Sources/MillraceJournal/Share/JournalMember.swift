/// A process that owns partitions of many stores together with others.
///
/// It has a lease: while the process renews it, no other one takes its partitions. When the lease ends, because the process is killed or stopped, the
/// others take them over. Safety does not stand on the lease: an append of a process whose partition was taken is fenced.
public struct JournalMember: Sendable, Hashable, Identifiable {
  /// The name of a member, which it draws when it joins.
  public struct ID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The first half of a number at random.
    public let high: UInt64

    /// The other half.
    public let low: UInt64

    /// Creates the name with these halves.
    public init(high: UInt64, low: UInt64) {
      (self.high, self.low) = (high, low)
    }

    /// Both halves in hexadecimal digits.
    public var description: String {
      [high, low].map { half in
        let digits = String(half, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined()
    }

    /// Orders names by their halves.
    public static func < (left: ID, right: ID) -> Bool { (left.high, left.low) < (right.high, right.low) }
  }

  /// The name.
  public let id: ID

  /// The name of the stores.
  public let stores: String

  /// The address at which the process answers for its keys; nil if it answers at none.
  public let address: String?

  /// The process and its start.
  public let process: JournalEpoch

  /// Creates a member.
  ///
  /// - Parameters:
  ///   - id: The name.
  ///   - stores: The name of the stores.
  ///   - address: The address at which the process answers for its keys.
  ///   - process: The process and its start.
  public init(_ id: ID, of stores: String, address: String?, process: JournalEpoch) {
    (self.id, self.stores, self.address, self.process) = (id, stores, address, process)
  }
}

extension JournalMember.ID {
  /// The member that is to own a partition: the one with the greatest weight for it, so that a member that joins or leaves moves its own partitions only.
  ///
  /// - Parameters:
  ///   - partition: The number of the partition.
  ///   - members: The members whose leases have not ended.
  static func firstChoice(of partition: Int, among members: some Collection<Self>) -> Self? {
    members.max { ($0.weight(for: partition), $0) < ($1.weight(for: partition), $1) }
  }

  /// A number that looks random for each pair of a member and a partition.
  private func weight(for partition: Int) -> UInt64 {
    var mixed = high
    for part in [low, UInt64(truncatingIfNeeded: partition)] {
      // The steps of SplitMix64, by which each bit of a part moves half of the result.
      mixed = (mixed ^ part) &+ 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      mixed ^= mixed >> 31
    }
    return mixed
  }
}
