import Millrace
import MillraceTesting

@testable import MillraceReconcile

/// A reconciler of paths whose performer does what a test says, with all that happens recorded.
struct PathRig {
  typealias Path = ReconciledPath<String>

  let desires = Desires<Path>()
  let clock: TestClock
  /// Each operation that was begun, in order.
  let begun: Recorder<Path.Operation>
  /// Each report in short, in order.
  let reports: Recorder<String>
  let reconciler: Reconciler<Path>

  /// - Parameter perform: a closure that performs an operation; its number is counted from 1.
  init(
    initial: Path = [], timeout: Duration? = nil, attempts: Int = 1, backoff: Plan.Backoff = .none,
    perform: @escaping @Sendable (_ number: Int, Path.Operation) async throws -> Void = { _, _ in }
  ) {
    let (clock, begun, reports) = (TestClock(), Recorder<Path.Operation>(), Recorder<String>())
    let count = Box(0)
    (self.clock, self.begun, self.reports) = (clock, begun, reports)
    reconciler = Reconciler(
      initial: initial, timeout: timeout, attempts: attempts, backoff: backoff, clock: clock,
      report: { reports.record($0.short) },
      perform: { operation in
        begun.record(operation)
        try await perform(
          count.update {
            $0 += 1; return $0
          }, operation)
      })
  }

  /// Follows the desires in a task of its own.
  func run() -> Task<Void, any Error> {
    Task { [reconciler, desires] in try await reconciler.run(following: desires) }
  }
}

extension Reconciler.Report {
  /// The report in a few words.
  var short: String {
    func cause(_ error: any Error) -> String {
      (error as? ReconcilerError)?.code == .timedOut ? "in time" : "by \(error)"
    }
    return switch self {
    case .performed(let operation, let attempt): "performed \(operation) #\(attempt)"
    case .failed(let operation, let attempt, let error): "failed \(operation) #\(attempt) \(cause(error))"
    case .gaveUp(let operation, let attempts, let error): "gave up \(operation) #\(attempts) \(cause(error))"
    case .cancelled(let operation): "cancelled \(operation)"
    }
  }
}
