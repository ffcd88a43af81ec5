import Foundation

/// Runs a call that blocks its thread on a thread of its own, so that it holds up none of the few that run tasks.
///
/// When the task is cancelled it throws `CancellationError` at once; the call is left behind, and what it returns is
/// dropped. So a call that may block for ever has to bring a limit of its own, or it keeps its thread.
package func blockingCall<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
  let (results, continuation) = AsyncThrowingStream.makeStream(of: Value.self)
  Thread.detachNewThread {
    do {
      continuation.yield(try call())
      continuation.finish()
    } catch {
      continuation.finish(throwing: error)
    }
  }
  for try await value in results {
    return value
  }
  // A stream that ends without a value was left by its reader: the task is cancelled.
  throw CancellationError()
}
