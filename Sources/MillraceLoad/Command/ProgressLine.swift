import Foundation
import Millrace
import MillraceFlags

/// The lines about progress on standard error; on a terminal one line is written over by the next.
struct ProgressLine: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) == 1

  /// Shows a line for good.
  func show(_ text: String) {
    StandardError.write((isTerminal ? "\r\u{1B}[K" : "") + text + "\n")
  }

  /// Shows a line until the next one; nothing where standard error is no terminal.
  func showForNow(_ text: String) {
    guard isTerminal else { return }
    StandardError.write("\r\u{1B}[K" + text)
  }

  /// Removes the line that was shown for now.
  func clear() {
    showForNow("")
  }
}

/// Shows the figures of a run that is under way, twice a second.
final class ProgressTask: Sendable {
  private let line: ProgressLine
  private let duration: Duration
  private let task = Lock<Task<Void, Never>?>(nil)

  init(_ line: ProgressLine, duration: Duration) {
    self.line = line
    self.duration = duration
  }

  func begin(_ read: @escaping @Sendable () -> LoadProgress) {
    let task = Task.detached { [line, duration] in
      while !Task.isCancelled {
        line.showForNow(Self.text(read(), of: duration))
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
    return
      "\(Histogram.text(min(progress.elapsed, duration))) of \(Histogram.text(duration)), \(Histogram.text(left)) left: "
      + "\(Figures.count(counts.sent)) sent, \(Figures.count(counts.settled)) settled, \(Figures.count(counts.rejected)) rejected, "
      + "p99 \(Histogram.text(progress.figures.latency.p99))"
  }
}
