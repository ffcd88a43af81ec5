/// The machine that the service runs on.
protocol MachineGateway: Sendable {
  /// Reads all counters once.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels, and waits for the return.
  ///
  /// - Throws: An error whose description is the reason to show, when a counter cannot be read.
  func read() async throws -> MachineReading
}
