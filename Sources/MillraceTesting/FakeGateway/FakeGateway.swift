/// A gateway whose every method is scripted by a test.
///
/// One ``FakeCall`` a method, or one ``FakeStream`` where it returns a sequence, and the method calls it. There is
/// nothing else to write; a struct, a final class or an actor will do:
///
/// ```swift
/// struct FakeRecords: RecordsGateway, FakeGateway {
///   let fetches = FakeCall<String, [Record]>("fetch")
///   func fetch(_ query: String) async throws -> [Record] { try await fetches(query) }
/// }
/// ```
///
/// The property needs another name than the method, or the method would call itself. Several arguments are one tuple,
/// or one struct where requests are compared or recorded.
///
/// Given to a ``TestStore`` as one of its fakes, it is finished with it.
///
/// A copy of a fake has the same calls, scripts and log. The fakes are found among the stored properties, and in the
/// values there.
public protocol FakeGateway: FinishChecked {}

extension FakeGateway {
  private var channels: [any FakeChannel] { FakeChannels.of(self) }

  /// Fails the test for every script that was not used and every call that has not ended, each at its line.
  ///
  /// Called at the end of a test, once what used the gateway has ended, as after `store.shutdown()`. Calls that are
  /// still held end with ``FakeGatewayError/Code/finished``, and waits for calls that never came with a
  /// `CancellationError`, so that nothing hangs. What `always` was given for stays. The failures are those of the test
  /// in which the fake was made, and have been recorded when this returns.
  public func finish(file: StaticString = #filePath, line: UInt = #line) async {
    let channels = channels
    if channels.isEmpty {
      FailureReporter().fail(
        """
        \(type(of: self)) has neither a FakeCall nor a FakeStream among its stored properties, so there is nothing to \
        finish. Give it one for each method of its gateway.
        """, file: file, line: line)
    }
    for channel in channels { channel.end() }
    for channel in channels { await channel.settle() }
  }

  /// Takes the times of the logs from this clock, counted from now; by default they are real time since the fake was
  /// made.
  public func use(clock: any Clock<Duration>) {
    for channel in channels { channel.use(clock: clock) }
  }

  /// Keeps so many calls in each log; by default all, for as long as the fake lives.
  public func keepLog(_ size: FakeLogSize) {
    for channel in channels { channel.keep(size) }
  }

  /// Lets the calls of this gateway meet faults, from now on; nil ends that, and streams meet none.
  public func inject(_ faults: FakeFaults?) {
    for channel in channels { channel.inject(faults) }
  }
}
