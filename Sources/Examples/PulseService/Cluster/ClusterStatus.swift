import Foundation
import Millrace
import MillraceJournal
import MillraceTerminal

/// The members of a cluster and the states of its targets, at one instant.
struct ClusterStatus: Sendable {
  let shares: JournalShares
  /// The number of partitions into which the targets are divided.
  let partitions: Int
  let state: PulseState
  private let revision: Int

  /// Reads the status; writes nothing.
  ///
  /// - Throws: `JournalError`.
  init(reading journal: any SharedJournal) async throws {
    shares = try await journal.shares(of: Cluster.stores)
    partitions = try await journal.partitions(of: Cluster.stores)
    let projection = try await TargetStates.projection(
      of: journal, StoreConfiguration())
    try await projection.catchUp()
    let targets = await projection.reader.state.targets
    await projection.shutdown()
    let view = ClusterView.State(targets: targets)
    state = view.whole(view.configuration)
    revision = targets.count
  }

  /// The name of the member that owns a target; nil while none does.
  func owner(of target: String) -> String? {
    let partition = JournalPartition(of: Cluster.stores, holding: target, among: partitions)
    return shares.owner(of: partition.number)?.shownName
  }

  /// The names of the members with the numbers of their partitions and targets, in the order of their names.
  var members: [(name: String, partitions: Int, targets: Int)] {
    let owners = state.targets.compactMap { owner(of: $0.endpoint.name) }
    return shares.members.map { member in
      (
        member.shownName, shares.owners.values.count { $0.member == member.id },
        owners.count { $0 == member.shownName }
      )
    }.sorted { $0.0 < $1.0 }
  }

  /// The lines of text.
  var text: String {
    let form = LinePresentation()
    var lines = [
      members.isEmpty
        ? "no member: no pulse watches these targets" : members.count == 1 ? "1 member" : "\(members.count) members"
    ]
    lines += members.map {
      "  \($0.name)  owns \($0.partitions) of \(partitions) partitions, \($0.targets == 1 ? "1 target" : "\($0.targets) targets")"
    }
    lines.append(
      state.targets.isEmpty
        ? "no target was probed yet" : state.targets.count == 1 ? "1 target" : "\(state.targets.count) targets")
    lines += state.targets.map { target in
      "  \(form.target(target))  at \(owner(of: target.endpoint.name) ?? "no member")"
    }
    lines += state.alerts.compactMap(form.alert)
    lines += state.receivers.compactMap(form.receiver)
    return lines.map { Printable.text($0, isASCII: false) + "\n" }.joined()
  }

  /// One line of JSON.
  var json: String { Document(self).line }

  private struct Document: Encodable {
    struct Member: Encodable {
      var name: String
      var host: String
      var process: Int
      var partitions: Int
    }

    var members: [Member]
    /// The names of the owners by the URLs of the targets.
    var owners: [String: String]
    var partitions: Int
    var state: StateDocument

    init(_ status: ClusterStatus) {
      members = status.shares.members.map { member in
        Member(
          name: member.shownName, host: member.process.host, process: member.process.process,
          partitions: status.shares.owners.values.count { $0.member == member.id })
      }.sorted { $0.name < $1.name }
      let names = status.state.targets.map(\.endpoint.name)
      owners = Dictionary(
        names.compactMap { name in status.owner(of: name).map { (name, $0) } }, uniquingKeysWith: { first, _ in first })
      partitions = status.partitions
      state = StateDocument(Snapshot(revision: status.revision, state: status.state))
    }
  }
}

extension JournalMember {
  /// The name that the member was given, or that which it has without one.
  fileprivate var shownName: String {
    address.flatMap(ClusterMember.init(address:))?.name ?? "\(process.process) on \(process.host)"
  }
}
