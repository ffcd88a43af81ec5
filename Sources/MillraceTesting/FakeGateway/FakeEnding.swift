/// The end of a call of a fake.
public enum FakeEnding: Sendable {
  /// The call got its reply; a stream was finished.
  case replied
  /// The call threw this error; a stream ended with it.
  case failed(any Error)
  /// Its task was cancelled, and the call ended by that; of a stream, the consumer went away.
  case cancelled
  /// No script was left for it, which is a failure of the test.
  case unexpected
}
