import Millrace

extension Reconciler {
  /// The result of one operation.
  public enum Report: Sendable, CustomStringConvertible {
    /// The operation was performed and acknowledged; ``Reconciler/acknowledged`` has it.
    ///
    /// After a ``failed(_:attempt:error:)`` that was a timeout it may still come, for the same attempt.
    case performed(Desired.Operation, attempt: Int)

    /// An attempt, counted from 1, threw, or took longer than the timeout: then the error is ``ReconcilerError``.
    case failed(Desired.Operation, attempt: Int, error: any Error)

    /// The last attempt failed, and nothing more is tried until another desire comes.
    case gaveUp(Desired.Operation, attempts: Int, error: any Error)

    /// The run was cancelled while the operation was under way, and it threw; whether it was performed is not known.
    case cancelled(Desired.Operation)

    /// The event as a sentence; it holds the operation and the error.
    public var description: String {
      switch self {
      case .performed(let operation, let attempt): "Attempt \(attempt) at \(operation) was acknowledged."
      case .failed(let operation, let attempt, let error): "Attempt \(attempt) at \(operation) failed: \(error)"
      case .gaveUp(let operation, let attempts, let error):
        "\(operation) was given up after \(attempts) attempts; desire something else, or make another run: \(error)"
      case .cancelled(let operation): "\(operation) was cancelled."
      }
    }

    /// Writes the report to standard error, if it is of an operation that was given up.
    static func writeIfGivenUp(_ report: Report) {
      guard case .gaveUp(_, let attempts, let error) = report else { return }
      writeToStandardError(
        line: "An operation of \(Reconciler.self) was given up after \(attempts) attempts; desire something else, make "
          + "another run, or handle it in `report`: \(error)")
    }
  }
}
