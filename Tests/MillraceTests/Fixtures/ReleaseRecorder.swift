import MillraceTesting

/// Records its own release; captured by a closure that a task runs, it is released when the task is over.
final class ReleaseRecorder: Sendable {
  private let released: Recorder<Void>

  init(_ released: Recorder<Void>) {
    self.released = released
  }

  deinit { released.record(()) }
}
