/// One method of a gateway that is faked: a ``FakeCall`` or a ``FakeStream``.
public protocol FakeMethod: AnyObject, Sendable {
  /// Fails the test for every unused script and every open call, and releases held calls.
  ///
  /// It does not wait; ``finish()`` does.
  func end()

  /// Waits until no call is open, or the task is cancelled.
  func waitUntilQuiet() async

  /// Waits until all failures that were reported before are recorded for the test, also in a cancelled task.
  func settle() async

  /// Takes the times of the log from this clock, counted from now.
  func use(clock: any Clock<Duration>)

  /// Keeps `size` calls in the log.
  func keepLog(_ size: FakeLogSize)

  /// Lets calls meet faults, from now on; nil ends that.
  func inject(_ faults: FakeFaults?)
}

extension FakeMethod {
  /// Fails the test for each unused reply and each open call of this method, as `finish` of a ``FakeGateway`` does for all
  /// methods.
  ///
  /// Cancellation has no effect on it.
  public func finish() async {
    await [self].finish()
  }
}

extension [any FakeMethod] {
  /// The longest real time that a cancelled call may take to end.
  private var patience: Duration { .seconds(1) }

  /// Ends all of them, and waits until their failures are recorded.
  func finish() async {
    await waitForCancelled()
    // All of them, before any call that one of them releases continues.
    for fake in self { fake.end() }
    for fake in self { await fake.settle() }
  }

  /// Gives open calls a moment to end.
  ///
  /// An action has its outcome before its task is cancelled, so that a test may come here between the two. In a world
  /// both are one step.
  private func waitForCancelled() async {
    if JobQueue.isOwnedByThisThread { return }
    await withTaskGroup { group in
      group.addTask { for fake in self { await fake.waitUntilQuiet() } }
      group.addTask { [patience] in try? await Task.sleep(for: patience) }
      await group.next()
      group.cancelAll()
    }
  }
}
