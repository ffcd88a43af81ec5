// snippet.main
import Dispatch
import Glibc
import Millrace

/// Counts the seconds of its service, and saves them.
struct Uptime: Interactor {
  enum Action { case tick, save }
  enum Mutation { case ticked, saved(Int) }
  struct State { var seconds = 0, saved = 0 }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .tick: .concurrent
    case .save: .serial(key: "save").timeout(.seconds(5))
    }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .tick: .mutate(.ticked)
    case .save: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    let seconds = state.seconds
    return Effect { run in
      try await run.clock.sleep(for: .milliseconds(100))  // In place of a gateway that saves.
      run.emit(.saved(seconds))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .ticked: state.seconds += 1
    case .saved(let seconds): state.saved = seconds
    }
  }
}

/// Returns the store's metrics and one of the program's own as OpenMetrics text.
func metricsPage(of store: Store<Uptime>) async -> String {
  let (metrics, state) = await (store.metrics, store.state)
  return metrics.openMetrics(
    prefix: "uptime",
    adding: [
      .gauge("uptime_saved", Double(state.saved), unit: "seconds", help: "The time that was saved last.")
    ])
}

/// Calls a function at each signal of this number from now on, in place of its default action, which ends the process at once.
func onSignal(_ number: Int32, call handler: @escaping @Sendable () -> Void) async -> any DispatchSourceSignal {
  let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
  source.setEventHandler(handler: handler)
  await withCheckedContinuation { continuation in
    source.setRegistrationHandler { continuation.resume() }
    source.activate()
  }
  return source
}

// Lines of the log and reports of incidents go to standard error.
let store = Store(
  initial: Uptime.State(), interactor: Uptime(), interceptors: [LoggingInterceptor()],
  feedbacks: [.every(.seconds(1)) { .tick }])
let service = Task { await store.run(drainFor: .seconds(10)) }

let limit = DispatchQueue(label: "limit")  // Handlers that block the pool do not hold it up.
let stop: @Sendable () -> Void = {
  limit.asyncAfter(deadline: .now() + 12) { _exit(EXIT_FAILURE) }
  store.send(.save)
  service.cancel()
}
let signals = [
  await onSignal(SIGTERM, call: stop),
  await onSignal(SIGINT, call: stop),
  await onSignal(SIGUSR1) { Task { print(await metricsPage(of: store), terminator: "") } },
]

// A server would be started here, and be stopped where this loop ends.
for await state in store.states {
  print("up for \(state.seconds) s, saved at \(state.saved) s")
  fflush(nil)  // Standard output into a pipe or a file is buffered.
}
await service.value
let report = await store.shutdown()
print("stopped: \(report)")
exit(report.isClean ? EXIT_SUCCESS : EXIT_FAILURE)
// snippet.end
