import Millrace
import MillraceReconcile
import MillraceTesting
import Testing

/// Durations of any length and sign, which a reconciler takes or refuses.
@Suite("Durations of reconcilers", .timeLimit(.minutes(1)))
struct ReconcilerDurationsTests {
  @Test(
    "A reconciler takes every timeout above zero and every rest, and refuses other timeouts",
    arguments: [
      Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
      .seconds(-1), .zero,
    ])
  func times(_ time: Duration) async throws {
    let reports = Recorder<Bool>()
    let reconciler = Reconciler<ReconciledPath<String>>(
      initial: [], timeout: time, attempts: 2, backoff: .constant(max(time, .zero)),
      report: { report in if case .failed = report { reports.record(true) } },
      perform: { _ in throw Mishap() })
    let (desires, desire) = AsyncStream.makeStream(of: ReconciledPath<String>.self)
    let task = Task { try await reconciler.run(following: desires) }
    desire.yield(["a"])
    if time > .zero {
      #expect(try await reports.next())
      task.cancel()
      try? await task.value
    } else {
      let error = await #expect(throws: ReconcilerError.self) { try await task.value }
      #expect(error?.code == .invalidTimeout)
    }
  }
}
