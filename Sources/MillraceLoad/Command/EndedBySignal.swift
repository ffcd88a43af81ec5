import Dispatch
import Foundation
import Millrace

/// Runs the body in a task that the first SIGINT or SIGTERM cancels; another one ends the process.
///
/// While it runs, these signals do nothing else. Afterwards they end the process, as they do by default.
func endedBySignal<Result: Sendable>(
  _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  let interruption = Interruption()
  let queue = DispatchQueue(label: "millrace.load.signals")
  let sources = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler {
      if !interruption.request() { _exit(128 + number) }
    }
    return source
  }
  await begin(sources)
  defer {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
  let task = Task.detached { try await body() }
  interruption.cancels(task.cancel)
  return try await task.value
}

/// Returns when the sources watch: a signal that came before would be lost.
private func begin(_ sources: [any DispatchSourceSignal]) async {
  for source in sources {
    await withCheckedContinuation { continuation in
      source.setRegistrationHandler { continuation.resume() }
      source.resume()
    }
  }
}

/// A request to end early, which may come before there is a task to cancel.
private final class Interruption: Sendable {
  private struct State {
    var isRequested = false
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Lock(State())

  /// Requests the end.
  ///
  /// - Returns: false when it was requested before.
  func request() -> Bool {
    let (isFirst, cancel) = state.withLock { state in
      defer { state.isRequested = true }
      return (!state.isRequested, state.cancel)
    }
    cancel?()
    return isFirst
  }

  /// Calls the closure when the end is requested, or at once if it was.
  func cancels(_ cancel: @escaping @Sendable () -> Void) {
    let isRequested = state.withLock { state in
      state.cancel = cancel
      return state.isRequested
    }
    if isRequested { cancel() }
  }
}
