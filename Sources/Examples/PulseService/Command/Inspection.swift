import Millrace
import MillraceFlags
import MillraceInspector
import MillraceJournal

/// The views that an operator has of a pulse: the pages of `--inspect`, and the state that systemd shows.
final class Inspection: Sendable {
  /// The name of the store on the pages.
  private static let name = "pulse"

  private let manager = ServiceManager()
  private let watchdog: Task<Void, Never>
  #if Inspector
    private let inspector: Inspector?
  #endif

  /// - Parameter port: the port of the pages; nil for none.
  /// - Throws: A sentence that says the fix.
  init(port: Int?) throws {
    #if Inspector
      var options = InspectorOptions()
      options.version = Version.text
      inspector = try port.map { try Inspector(port: $0, options: options) }
    #endif
    watchdog = Task { [manager] in await manager?.keepAlive() }
  }

  /// The port of the pages; nil without them.
  var port: Int? {
    #if Inspector
      inspector?.port
    #else
      nil
    #endif
  }

  /// Notes the progress of the opening, of which systemd waits for no more than the time to the next page.
  func opening(_ record: UInt64 = 0, of last: UInt64 = 0) {
    #if Inspector
      inspector?.opening(Self.name, at: record, of: last)
    #endif
    manager?.extendTimeout(by: .seconds(60))
  }

  func show(_ store: Store<PulseMonitor>) {
    #if Inspector
      inspector?.show(store, as: Self.name)
    #endif
    manager?.ready(status: "watching")
  }

  func show(_ targets: Stores<String, PulseMonitor>) {
    #if Inspector
      inspector?.show(targets, as: Self.name)
    #endif
    manager?.ready(status: "watching")
  }

  /// Notes that the files of the configuration are being read again, until `isDone`.
  func reload(isDone: Bool) {
    if isDone { manager?.ready(status: "watching") } else { manager?.reloading() }
  }

  /// Fails readiness, before anything is shut down.
  func willStop() async {
    #if Inspector
      await inspector?.beginShutdown()
    #endif
    manager?.stopping(status: "posting the last notices")
    manager?.extendTimeout(by: MonitoringService.drain + .seconds(5))
  }

  func close() async {
    watchdog.cancel()
    #if Inspector
      await inspector?.close()
    #endif
  }
}
