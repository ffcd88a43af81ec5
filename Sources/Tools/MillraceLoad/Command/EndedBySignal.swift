import Dispatch
import Foundation
import Millrace
import MillraceFlags

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

/// Shows the figures of a run that is under way, twice a second.
final class ProgressTask: Sendable {
  private let line: StatusLine
  private let text: @Sendable (LoadProgress) -> String
  private let task = Lock<Task<Void, Never>?>(nil)

  init(_ line: StatusLine, text: @escaping @Sendable (LoadProgress) -> String) {
    self.line = line
    self.text = text
  }

  func begin(_ read: @escaping @Sendable () -> LoadProgress) {
    let task = Task.detached { [line, text] in
      while !Task.isCancelled {
        line.show(text(read()))
        try? await Task.sleep(for: .milliseconds(500))
      }
    }
    self.task.withLock { $0 = task }
  }

  func end() {
    task.withLock { $0?.cancel() }
    line.clear()
  }

  static func text(_ progress: LoadProgress, of duration: Duration) -> String {
    guard progress.elapsed >= .zero else { return "Warming up." }
    let counts = progress.figures.counts
    let left = max(duration - progress.elapsed, .zero)
    let failed = counts.failures > 0 ? ", \(Figures.count(counts.failures)) failed" : ""
    let rejected = counts.rejected > 0 ? ", \(Figures.count(counts.rejected)) rejected" : ""
    let p99 = progress.figures.latency.p99.map { ", p99 \(Histogram.text($0))" } ?? ""
    return
      "\(Histogram.text(min(progress.elapsed, duration))) of \(Histogram.text(duration)), \(Histogram.text(left)) left: "
      + "\(Figures.count(counts.sent)) sent, \(Figures.count(counts.finished)) finished" + failed + rejected + p99
  }
}
