import MillraceSystem

/// Blocks one thread, not a task, until it is signalled.
///
/// A signal never blocks its caller. It ends the wait of now, or the next one, so that none is lost; a wait may therefore return
/// early, and the thread checks its condition again.
@usableFromInline
package final class Semaphore: @unchecked Sendable {
  private let semaphore: OpaquePointer

  /// Creates a semaphore without a signal.
  init() {
    semaphore = millrace_semaphore_make()
  }

  deinit {
    millrace_semaphore_free(semaphore)
  }

  /// Blocks the thread until there is a signal, and takes it.
  func wait() {
    millrace_semaphore_wait(semaphore)
  }

  /// Adds a signal.
  func signal() {
    millrace_semaphore_signal(semaphore)
  }
}
