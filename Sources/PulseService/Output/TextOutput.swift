/// The output of the service.
protocol TextOutput: Sendable {
  /// Writes the text out, past all buffers.
  ///
  /// Returns soon after its task was cancelled, with the text written in part.
  ///
  /// - Throws: ``OutputError``, when there is no use in writing more; `CancellationError`.
  func write(_ text: String) async throws
}

/// The reason for which nothing more can be written.
enum OutputError: Error, Equatable {
  /// The output was closed, as `head` does when it has seen enough.
  case closed
  /// The system refuses for this reason.
  case failed(String)
}
