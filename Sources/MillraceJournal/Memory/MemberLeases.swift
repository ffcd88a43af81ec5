/// The members of a journal in memory, with the ends of their leases in nanoseconds on the journal's clock.
struct MemberLeases: Sendable {
  private var leases: [JournalMember.ID: (member: JournalMember, end: Int64)] = [:]

  mutating func join(_ member: JournalMember, until end: Int64) { leases[member.id] = (member, end) }

  /// Begins a lease anew; false if it has ended.
  mutating func renew(_ id: JournalMember.ID, until end: Int64, at now: Int64) -> Bool {
    guard isLive(id, at: now) else {
      leases[id] = nil
      return false
    }
    leases[id]?.end = end
    return true
  }

  mutating func leave(_ id: JournalMember.ID) { leases[id] = nil }

  func isLive(_ id: JournalMember.ID, at now: Int64) -> Bool { leases[id].map { $0.end > now } ?? false }

  func members(of stores: String, at now: Int64) -> [JournalMember] {
    leases.values.filter { $0.end > now && $0.member.stores.utf8.elementsEqual(stores.utf8) }.map(\.member)
      .sorted { $0.id < $1.id }
  }
}
