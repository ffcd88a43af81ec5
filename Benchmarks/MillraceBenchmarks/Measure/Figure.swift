import MillraceBenchmarksSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A row's figure of one round.
struct Figure: Sendable {
  /// In the unit of the row: nanoseconds of a clock, or bytes.
  var value: Double

  /// Nanoseconds of processor time, those of all threads together; nil where they say nothing.
  ///
  /// With a second idle core a figure of a clock hides the work beside the measured thread.
  var cpu: Double?

  /// Allocations of all threads, while they are counted; nil where they say nothing.
  var allocations: Double?

  /// Instructions of all threads, while they are counted; nil where they say nothing.
  var instructions: Double?

  static func / (figure: Figure, count: Int) -> Figure {
    Figure(
      value: figure.value / Double(count), cpu: figure.cpu.map { $0 / Double(count) },
      allocations: figure.allocations.map { $0 / Double(count) },
      instructions: figure.instructions.map { $0 / Double(count) })
  }
}

/// Nanoseconds that `body` takes.
func spent(_ body: () async throws -> Void) async rethrows -> Figure {
  let (instructions, allocations) = (millrace_instructions(), millrace_allocations())
  let (cpu, start) = (processorTime(), ContinuousClock.now)
  try await body()
  let time = ContinuousClock.now - start
  return Figure(
    value: nanoseconds(time), cpu: processorTime() - cpu, allocations: Double(millrace_allocations() - allocations),
    instructions: Double(millrace_instructions() - instructions))
}

/// Nanoseconds an item that `body` takes.
func perItem(_ count: Int, _ body: () async throws -> Void) async rethrows -> Figure {
  try await spent(body) / count
}

/// A duration as nanoseconds.
func nanoseconds(_ duration: Duration) -> Double {
  let (seconds, attoseconds) = duration.components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Nanoseconds that all threads of this process have run, together.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
