import Foundation
import Millrace
import MillraceFlags
import MillraceJournal
import MillraceTerminal

/// The service of a member of a cluster: it samples its own machine, probes the targets that it owns, and writes the state of all.
struct ClusterService: Sendable {
  let cluster: Cluster
  /// The monitor of this machine.
  let monitor: PulseMonitor
  let reporter: Reporter
  let stop: StopRequest
  let configuration: StoreConfiguration
  /// Called first when the service stops.
  var willStop: @Sendable () async -> Void = {}

  private var plan: MonitoringService.Plan { cluster.plan }

  /// Runs until the time is up, the stop is requested, the output is closed, or the cluster does not admit this process or has another one with its name;
  /// then hands its targets on.
  ///
  /// Probes and notices under way have a few seconds to end, so that the last state shows none of its probes; what is owed then the next owner posts.
  ///
  /// - Throws: ``OutputError``, when the output is closed or broken; ``Cluster/Objection``; `JournalError`, when the states of the targets can be read no more, or
  ///   another process has the name of this one.
  func run() async throws {
    let view = Store(initial: ClusterView.State(), interactor: ClusterView(), configuration: configuration)
    let machine = Store(initial: PulseState(), interactor: monitor, configuration: configuration)
    let reporting = Task {
      defer { stop.request() }
      let shown = plan.configuration
      try await reporter.report(view.reader.scope { $0.whole(shown) })
    }
    let watching = Task {
      let objection = await cluster.objection()
      if objection != nil { stop.request() }
      return objection
    }
    let following = Task {
      let failure = await cluster.follow { view.send(.targets($0)) }
      if failure != nil { stop.request() }
      return failure
    }
    let working = Task {
      await withDiscardingTaskGroup { group in
        group.addTask { await cluster.forgetOthers() }
        for await state in machine.states(.latest) { view.send(.machine(state)) }
      }
    }
    let probing = Task { await probe(machine) }
    let ending = Task { () -> (any Error)? in
      await cluster.targets.run(drainFor: MonitoringService.drain)
      // Without a stop the stores end when another process has joined with the name of this one.
      if Task.isCancelled { return nil }
      stop.request()
      return await cluster.targets.shutdown().firstFailure
    }
    await stop.wait(atMost: plan.duration, on: configuration.clock)
    await willStop()
    probing.cancel()
    let own = plan.endpoints.map(\.name).filter(cluster.owns)
    ending.cancel()
    await cluster.targets.shutdown(drainFor: MonitoringService.drain)
    // The ends of the last probes come once they are durable.
    _ = try? await view.reader.wait(
      until: { state in !own.contains { state.targets[$0]?.targets.contains(where: \.isProbing) == true } },
      timeout: .seconds(1))
    working.cancel()
    following.cancel()
    watching.cancel()
    await machine.shutdown()
    await working.value
    let failure = await following.value
    await view.shutdown()
    try await reporting.lastStateWritten(on: configuration.clock)
    if let objection = await watching.value { throw objection }
    if let failure = await ending.value { throw failure }
    if let failure { throw failure }
  }

  /// Samples the machine, and probes the targets that this process owns, until the task is cancelled.
  private func probe(_ machine: Store<PulseMonitor>) async {
    var rounds = Rounds(every: plan.interval)
    let stopwatch = Stopwatch(configuration.clock)
    repeat {
      let due = rounds.due(of: plan.endpoints.filter { cluster.owns($0.name) }, at: stopwatch.elapsed)
      for endpoint in due.endpoints { cluster.targets.send(.probe(endpoint), to: endpoint.name) }
      if due.isRound { machine.send(.sample) }
    } while (try? await stopwatch.sleep(until: rounds.next)) != nil
  }
}
