/// One method of a gateway that is faked: a ``FakeCall`` or a ``FakeStream``.
public protocol FakeMethod: AnyObject, Sendable {
  /// Fails the test for every script that was not used and every call that has not ended, and lets go what is held.
  ///
  /// It does not wait; ``finish()`` does.
  func end()

  /// Waits until all failures that were reported before have been recorded for the test.
  func settle() async

  /// Takes the times of the log from this clock, counted from now.
  func use(clock: any Clock<Duration>)

  /// Keeps so many calls in the log.
  func keepLog(_ size: FakeLogSize)

  /// Lets calls meet faults, from now on; nil ends that.
  func inject(_ faults: FakeFaults?)
}

extension FakeMethod {
  /// Fails the test for what was not used and what has not ended, for this method alone, as `finish` of a ``FakeGateway`` does
  /// for all of them.
  public func finish() async {
    end()
    await settle()
  }
}
