import Millrace
import MillraceFlags
import MillraceTerminal

@testable import PulseService

extension MonitoringService {
  /// A service with a store of its own, which has no journal.
  init(
    _ plan: Plan, monitor: PulseMonitor, reporter: Reporter, complaints: any TextOutput, stop: StopRequest,
    configuration: StoreConfiguration
  ) {
    let store = Store(initial: plan.initialState, interactor: monitor, configuration: configuration)
    self.init(
      plan, store: store, monitor: monitor, reporter: reporter, complaints: complaints, stop: stop,
      clock: configuration.clock)
  }
}
