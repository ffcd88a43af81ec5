/// How a call of a fake ended.
public enum FakeEnding: Sendable {
  /// It was given its reply; a stream was finished.
  case replied
  /// It threw this error; a stream ended with it.
  case failed(any Error)
  /// Its task was cancelled, and the call ended by that; of a stream, the consumer went away.
  case cancelled
  /// No script was left for it, which is a failure of the test.
  case unexpected
}
