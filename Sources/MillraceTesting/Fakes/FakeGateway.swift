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
  /// Called at the end of a test, once all users of the gateway have ended, as after `store.shutdown()`. Calls whose tasks are
  /// being cancelled may take a second of real time to end, so that a test does not race with a timeout. Those that are
  /// still held then end with ``FakeGatewayError/Code/finished``, and waits for calls that never came with a
  /// `CancellationError`, so that nothing hangs. Scripts of `always` stay. The failures are those of the test
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

  /// Injects faults into the calls of this gateway from now on; nil ends this, and streams have none.
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

/// The fakes in the stored properties of a value, and of the values in these; each once, in order of declaration.
///
/// Of objects only fakes and gateways are looked at, which are asked. Reading any other property of an object would be a race
/// with who changes it.
struct FoundFakes {
  private(set) var fakes: [any FakeMethod] = []

  /// The depth of values within values that is searched.
  private static var depth: Int { 6 }

  init(in gateway: Any) {
    lookInto(gateway, depth: 0)
  }

  private mutating func look(at value: Any, depth: Int) {
    if let fake = value as? any FakeMethod {
      add(fake)
    } else if let gateway = value as? any FakeGateway {
      for fake in gateway.fakes { add(fake) }
    } else {
      lookInto(value, depth: depth)
    }
  }

  private mutating func lookInto(_ value: Any, depth: Int) {
    guard depth < Self.depth, !(type(of: value) is AnyObject.Type) else { return }
    for (_, child) in Mirror(reflecting: value).children { look(at: child, depth: depth + 1) }
  }

  private mutating func add(_ fake: any FakeMethod) {
    if !fakes.contains(where: { $0 === fake }) { fakes.append(fake) }
  }
}

/// The reason for which a fake gave no answer.
public struct FakeGatewayError: Error, Sendable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case unexpectedCall, finished, recordedFailure
    }

    fileprivate let kind: Kind

    /// No script was left for the call; the test has failed by that.
    public static let unexpectedCall = Code(kind: .unexpectedCall)

    /// The call was still held when the test called `finish()`; the test has failed by that.
    public static let finished = Code(kind: .finished)

    /// The call failed when it was recorded; the description is the one of its error then.
    public static let recordedFailure = Code(kind: .recordedFailure)
  }

  /// The reason.
  public let code: Code

  /// The reason as a sentence, with the fix.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  static var finished: FakeGatewayError {
    FakeGatewayError(
      .finished,
      "The call was still held when finish() was called; call release(_:) or fail(_:) on what holds it before that.")
  }
}
