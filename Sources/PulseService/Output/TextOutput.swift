/// Where the service writes what it knows.
protocol TextOutput: Sendable {
  /// Writes the text out, past all buffers.
  ///
  /// Returns soon after its task was cancelled, with the text written in part.
  ///
  /// - Throws: ``OutputError``, when there is no use in writing more; `CancellationError`.
  func write(_ text: String) async throws
}

/// Why nothing more can be written.
enum OutputError: Error, Equatable {
  /// The reader has gone, as `head` does when it has seen enough.
  case closed
  /// The system refuses for this reason.
  case failed(String)
}
