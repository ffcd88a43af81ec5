import Dispatch
import Glibc
import Millrace

/// Counts the seconds of its service.
struct Uptime: Interactor {
  enum Action { case tick }

  func decide(_ action: Action, state: Int) -> Decision<Int> { .mutate(state + 1) }

  static func reduce(into state: inout Int, mutation: Int) { state = mutation }
}

let store = Store(initial: 0, interactor: Uptime(), feedbacks: [.every(.seconds(1)) { .tick }])
let service = Task { await store.run(drainFor: .seconds(10)) }

// The sources take these signals in place of their default action, which ends the process at once.
let signals = [SIGTERM, SIGINT].map { number in
  signal(number, SIG_IGN)
  let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
  source.setEventHandler { service.cancel() }
  source.activate()
  return source
}

// A server would be started here, and be stopped where this loop ends.
for await seconds in store.states {
  print("up for \(seconds) s")
  fflush(nil)  // Standard output into a pipe or a file is buffered.
}
await service.value
print("stopped, and takes no more: \(await store.send(.tick).outcome.kind)")
