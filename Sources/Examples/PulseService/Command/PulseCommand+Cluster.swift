import Foundation
import Millrace
import MillraceFlags
import MillraceJournal
import MillraceTerminal

extension PulseCommand {
  /// Watches targets together with other pulses until it is to end, and gives the exit code; ends the process where it cannot join them.
  static func watch(
    in cluster: ClusterOptions, _ options: Options, _ reporter: Reporter, _ stop: StopRequest, complains: Bool,
    _ inspection: Inspection, farewell: String, welcome: String
  ) async -> Int32 {
    let clock = ContinuousClock()
    let (monitor, configuration) = (monitor(options, clock), configuration(clock))
    inspection.opening()
    let (journal, joined) = await join(cluster, options.plan, monitor, configuration)
    let service = ClusterService(
      cluster: joined, monitor: monitor, reporter: reporter, stop: stop, configuration: configuration,
      willStop: inspection.willStop)
    let signals = Signals(
      stop: stop, limit: MonitoringService.drain + .seconds(5),
      reload: {
        guard complains else { return }
        StandardError.writeLine(
          "pulse reads no file again in a cluster, whose members have one configuration; end all members, and start them with the new files."
        )
      }, farewell: farewell, welcome: welcome)
    // Signals are handled by now.
    inspection.show(joined.targets)
    let code: Int32
    do {
      code = try await self.code { try await service.run() }
    } catch {
      await say("pulse leaves the cluster: \(error)")
      code = EX_CANTCREAT
    }
    withExtendedLifetime(signals) {}
    await journal.close()
    return code
  }

  private static func join(
    _ cluster: ClusterOptions, _ plan: MonitoringService.Plan, _ monitor: PulseMonitor,
    _ configuration: StoreConfiguration
  ) async -> (any SharedJournal, Cluster) {
    do {
      let journal = try await cluster.open()
      return (
        journal,
        try await Cluster.join(
          plan, as: cluster.name, in: journal, lease: cluster.lease, monitor: monitor, configuration: configuration,
          now: { Date() })
      )
    } catch let objection as Cluster.Objection {
      await refuse("pulse does not join the cluster: \(objection)")
    } catch {
      await refuse("pulse does not start without its cluster. \(error)")
    }
  }
}
