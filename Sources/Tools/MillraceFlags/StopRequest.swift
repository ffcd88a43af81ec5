/// The request to end the service: made by a signal, by the end of the work, or by a closed output.
package struct StopRequest: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  package init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Makes the wish known; more than once is the same as once.
  package func request() {
    continuation.finish()
  }

  /// Waits for the wish, until the time is up, or until the task is cancelled.
  package func wait(atMost limit: Duration? = nil, on clock: any Clock<Duration> = ContinuousClock()) async {
    await withTaskGroup { group in
      group.addTask {
        for await _ in stream {}
      }
      if let limit {
        // Ends early only by cancellation, and then the wait is over anyhow.
        group.addTask { try? await clock.sleep(for: limit) }
      }
      await group.next()
      group.cancelAll()
    }
  }
}
