/// A gateway whose every method is scripted by a test.
///
/// One ``FakeCall`` a method, or one ``FakeStream`` where it returns a sequence, and the method calls it. In a struct
/// there is nothing else to write:
///
/// ```swift
/// struct FakeRecords: RecordsGateway, FakeGateway {
///   let fetches = FakeCall<String, [Record]>("fetch")
///   func fetch(_ query: String) async throws -> [Record] { try await fetches(query) }
/// }
/// ```
///
/// The property needs another name than the method, or the method would call itself. Several arguments are one tuple,
/// or one struct where requests are compared.
///
/// A class and an actor list their fakes in ``fakes``; the compiler asks for it.
///
/// Given to a ``TestStore`` as one of its fakes, it is finished with it. A copy of a fake has the same calls, scripts
/// and log.
public protocol FakeGateway: FinishChecked {
  /// The fakes of this gateway, one for each method.
  ///
  /// Of a struct or an enum they are found: its stored properties and what is in these are looked through, optionals,
  /// tuples, arrays and dictionaries, structs within structs, and gateways within, which are asked in turn. What stands in
  /// an object is not looked for: another thread may be changing that.
  var fakes: [any FakeMethod] { get }
}

extension FakeGateway {
  /// The fakes among the stored properties, each once, in order of declaration.
  public var fakes: [any FakeMethod] { FoundFakes(in: self).fakes }

  /// Fails the test for every script that was not used and every call that has not ended, each at its line.
  ///
  /// Called at the end of a test, once what used the gateway has ended, as after `store.shutdown()`. Calls whose tasks are
  /// being cancelled may take a second of real time to end, so that a test does not race with a timeout. Those that are
  /// still held then end with ``FakeGatewayError/Code/finished``, and waits for calls that never came with a
  /// `CancellationError`, so that nothing hangs. What `always` was given for stays. The failures are those of the test
  /// in which the fake was made, and have been recorded when this returns.
  ///
  /// A fake that is released without this call fails the test for unused scripts, too, but in words that ask
  /// for this, and perhaps after the test that follows. A fake that is never released, such as one held by an object that
  /// holds itself, tells nothing.
  public func finish(file: StaticString = #filePath, line: UInt = #line) async {
    let fakes = fakes
    if fakes.isEmpty {
      FailureReporter().fail(
        """
        \(type(of: self)) has neither a FakeCall nor a FakeStream among its fakes, so there is nothing to finish. \
        Give it one for each method of its gateway, as a stored property.
        """, file: file, line: line)
    }
    await fakes.finish()
  }

  /// Takes the times of the logs from this clock, counted from now; by default they are real time since the fake was
  /// made.
  public func use(clock: any Clock<Duration>) {
    for fake in fakes { fake.use(clock: clock) }
  }

  /// Keeps `size` calls in each log; by default all, for as long as the fake lives.
  public func keepLog(_ size: FakeLogSize) {
    for fake in fakes { fake.keepLog(size) }
  }

  /// Lets the calls of this gateway meet faults, from now on; nil ends that, and streams meet none.
  public func inject(_ faults: FakeFaults?) {
    for fake in fakes { fake.inject(faults) }
  }
}

extension FakeGateway where Self: AnyObject {
  /// Not there: the properties of an object may be changed by another thread while they are looked through.
  @available(
    *, unavailable,
    message: "list the fakes of a class or an actor: nonisolated var fakes: [any FakeMethod] { [fetches] }"
  )
  public var fakes: [any FakeMethod] { [] }
}
