import Foundation
import Millrace
import MillraceJournal

/// The targets that several pulses watch together: each target is a key of many stores, and a process probes those of the keys that it owns.
///
/// The store of a target has the state of a pulse that watches this target alone.
struct Cluster: Sendable {
  /// The name of the stores in the database.
  static let stores = "pulse"

  /// The reason for which a process is no member, as the end of a sentence.
  struct Objection: Error, CustomStringConvertible {
    let description: String
  }

  let plan: MonitoringService.Plan
  let member: ClusterMember
  let journal: any SharedJournal
  let targets: Stores<String, PulseMonitor>
  private let configuration: StoreConfiguration
  private let lease: Duration

  /// Joins the members, and takes a part of the targets.
  ///
  /// - Parameters:
  ///   - name: The name of this process.
  ///   - lease: The time after which the others take the targets of a process that has stopped.
  ///   - now: The time on the wall.
  /// - Throws: ``Objection`` if a member has another configuration; `JournalError`.
  static func join(
    _ plan: MonitoringService.Plan, as name: String, in journal: any SharedJournal, lease: Duration,
    monitor: PulseMonitor, configuration: StoreConfiguration, now: @escaping @Sendable () -> Date
  ) async throws -> Cluster {
    let member = ClusterMember(name: name, plan: plan)
    if let objection = try await journal.shares(of: stores).members.objection(to: member) {
      throw Objection(description: objection)
    }
    let pauses = WebhookPauses(configuration.clock)
    let clock = configuration.clock
    let targets = try await Stores<String, PulseMonitor>.open(
      name: stores, journal: journal, address: "\(member)", lease: lease, limits: plan.limits,
      configuration: configuration, options: lease.journalOptions, initial: { _ in PulseState() },
      feedbacks: { key in
        [
          .start(.start(plan.configuration(of: key), at: now())),
          .react(toEach: { Set($0.owedNotices) }) { notice, access in
            await Notifier(access, pauses, now: now).deliver(notice)
          },
        ]
      },
      interactor: { _ in monitor.begun(on: clock) })
    return Cluster(
      plan: plan, member: member, journal: journal, targets: targets, configuration: configuration, lease: lease)
  }

  /// Whether this process owns a target.
  func owns(_ target: String) -> Bool { targets.owner(of: target)?.address == "\(member)" }

  /// Waits until this process may not stay a member, because one that was there before has another configuration.
  ///
  /// - Returns: The reason; nil once the stores have ended, or the task is cancelled.
  func objection() async -> Objection? {
    guard let shares = targets.shares else { return nil }
    for await members in shares.values(of: \.members) {
      if let objection = members.objection(to: member) { return Objection(description: objection) }
    }
    return nil
  }

  /// Shows the states of all targets, whichever process has changed them, until the task is cancelled.
  ///
  /// - Returns: The reason for which the states can be read no more, although the database answers; nil if the task is cancelled.
  func follow(_ show: @Sendable ([String: PulseState]) -> Void) async -> JournalError? {
    while !Task.isCancelled {
      do throws(JournalError) {
        let projection = try await TargetStates.projection(of: journal, configuration, lease.journalOptions)
        for await snapshot in projection.reader.snapshots() { show(snapshot.state.targets) }
        await projection.shutdown()
        // A server that has lost records has other states than those that were read, so all are read anew.
        if let failure = projection.failure, failure.code != .lost { return failure }
      } catch {
        // The opening has waited for as long as a lease.
        guard error.isTransient else { return error }
      }
    }
    return nil
  }

  /// Ends the alerts of targets that are not watched any more, and forgets them once their webhooks know it, until the task is cancelled.
  func forgetOthers() async {
    // A process that has joined with another configuration at the same time as others has left by then.
    guard let shares = targets.shares, (try? await configuration.clock.sleep(for: lease)) != nil else { return }
    let watched = Set(plan.endpoints.map(\.name))
    await withDiscardingTaskGroup { group in
      var begun: Set<String> = []
      for await _ in shares.values(of: \.owners) {
        // What another process has taken meanwhile is begun anew when it comes back.
        begun = begun.filter(owns)
        var last: String?
        while let names = try? await targets.keys(after: last), let end = names.last {
          last = end
          for name in names where !watched.contains(name) && owns(name) && begun.insert(name).inserted {
            group.addTask { await forget(name) }
          }
        }
      }
    }
  }

  /// Waits until the webhooks know of the end of a target, however long they are away, or another process owns it.
  private func forget(_ target: String) async {
    // The configuration that it gets when it is opened has no such target.
    let hasEnded = try? await targets.wait(for: target) { state in
      state.endpoints == [] && state.owedNotices.isEmpty
    }
    if hasEnded != nil { try? await targets.erase(target) }
  }
}

extension TargetStates {
  /// Opens a projection of the states of all targets in a journal, whose own log is in memory.
  static func projection(
    of journal: any PartitionedJournal, _ configuration: StoreConfiguration,
    _ options: JournalOptions = JournalOptions()
  ) async throws(JournalError) -> Projection<TargetStates> {
    try await Projection.open(
      initial: State(), interactor: TargetStates(),
      of: ProjectionSource<PulseMonitor>(Cluster.stores, in: journal, options: options),
      journal: MemoryJournal(), key: "targets", configuration: configuration, action: { Event($0) })
  }
}

extension Duration {
  /// The options of a journal that may be away for this lease: after it the targets change hands anyway.
  fileprivate var journalOptions: JournalOptions {
    var options = JournalOptions()
    options.deadline = max(self, .seconds(1))
    return options
  }
}

extension MonitoringService.Plan {
  /// The configuration of a target: without another one, and without any if it is not watched.
  fileprivate func configuration(of target: String) -> Configuration {
    Configuration(endpoints: endpoints.filter { $0.name == target }, rules: rules, webhooks: webhooks)
  }

  /// Enough for all targets, none of which leaves the memory between two probes.
  fileprivate var limits: StoresLimits {
    StoresLimits(live: max(10_000, 2 * endpoints.count), idle: .seconds(86_400 * 365))
  }
}
