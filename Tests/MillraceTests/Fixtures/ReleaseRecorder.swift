import MillraceTesting

/// Tells when nothing holds it any more; captured by a closure that a task runs, that is when the task is over.
final class ReleaseRecorder: Sendable {
  private let released: Recorder<Void>

  init(_ released: Recorder<Void>) {
    self.released = released
  }

  deinit { released.record(()) }
}
