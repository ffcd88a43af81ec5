import Millrace

/// One method of a gateway that returns a sequence, scripted by a test.
///
/// ```swift
/// let follows = FakeStream<String, Record>("follow")
/// func follow(_ query: String) -> AsyncThrowingStream<Record, any Error> { follows(query) }
/// ```
///
/// The method may return an `AsyncStream` as well. A call that finds no script gives a sequence that ends with
/// ``FakeGatewayError/Code/unexpectedCall``, and fails the test at the line where the fake was made. When it is released
/// without `finish()`, scripts that were not used fail the test all the same. In the log a call
/// has ended when its last element was given, or its consumer went away; elements are buffered until the consumer takes
/// them.
///
/// It may be used from any thread. Calls are served in the order in which they come. Faults of ``FakeFaults`` are for
/// calls alone; a driven stream is as slow, and fails as the test says.
public final class FakeStream<Request: Sendable, Element: Sendable>: FakeStreamScripting {
  private typealias Answer = FakeStreamAnswer<Request, Element>

  /// The name of the fake in failures.
  public var name: String { reports.name }

  /// The fake itself, whose scripts are for all calls.
  public var stream: FakeStream<Request, Element> { self }

  /// Nil: scripts that are given to the fake itself are for all calls.
  public var matches: (@Sendable (Request) -> Bool)? { nil }

  private let core = Lock(FakeCore<Request, Answer>())
  let reports: FakeReports

  /// Creates a fake without scripts.
  ///
  /// - Parameters:
  ///   - name: the name of the method, for failures.
  ///   - file: the file of failures that belong to no script.
  ///   - line: the line of failures that belong to no script.
  public init(_ name: String, file: StaticString = #filePath, line: UInt = #line) {
    reports = FakeReports(name: name, ways: "reply(…), drive() or always(…)", location: TestLine(file, line))
  }

  /// Performs a call, and gives the sequence that the script for it says.
  public func callAsFunction(_ request: Request) -> AsyncThrowingStream<Element, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Element.self, throwing: (any Error).self)
    let sink = StreamSink<Element>(yield: { continuation.yield($0) }, finish: { continuation.finish(throwing: $0) })
    let (number, leave) = begin(request, sink)
    continuation.onTermination = { [weak self] in
      // First, for who waits until the stream has ended looks at the log.
      if case .cancelled = $0 { self?.core.end(number, .cancelled) }
      leave()
    }
    return stream
  }

  /// Performs a call, and gives the sequence that the script for it says.
  ///
  /// An error ends the sequence, which cannot throw it; one that a script says fails the test at the line where the
  /// fake was made.
  public func callAsFunction(_ request: Request) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let sink = StreamSink<Element>(yield: { continuation.yield($0) }) { [reports] error in
      continuation.finish()
      if let error, !(error is FakeGatewayError) { reports.cannotThrow(error) }
    }
    let (number, leave) = begin(request, sink)
    continuation.onTermination = { [weak self] in
      // First, for who waits until the stream has ended looks at the log.
      if case .cancelled = $0 { self?.core.end(number, .cancelled) }
      leave()
    }
    return stream
  }

  /// The number of calls so far.
  public var callCount: Int { core.withLock { $0.state.log.count } }

  /// The calls that were made so far, oldest first; as many as the log keeps.
  public var calls: [FakeCallEntry<Request>] { core.withLock { $0.state.log.kept } }

  /// The calls so far, oldest first, as far as the log keeps them.
  public var requests: [Request] { calls.map(\.request) }

  deinit {
    // A driven stream may still be open, and continues as the test says.
    let left = core.withLock { $0.state.finish() }
    reports.unfinished(left)
    for case .driven(let driven) in left.scripts.map(\.script.answer) { driven.abandon() }
  }

  func add(_ script: FakeScript<Request, FakeStreamAnswer<Request, Element>>) {
    core.withLock { $0.state.scripts.add(script) }
  }

  func add(_ scripts: KeyedScripts<Request, FakeStreamAnswer<Request, Element>>) {
    core.withLock { $0.state.scripts.add(scripts) }
  }

  /// Begins what the script for a call says.
  ///
  /// - Returns: the number of the call, and what is to be done when its sequence is over, by its consumer or by itself.
  private func begin(_ request: Request, _ sink: StreamSink<Element>) -> (number: Int, leave: @Sendable () -> Void) {
    let call = core.withLock { $0.arrive(request) }.call
    switch call.script?.answer {
    case .elements(let elements, let failure)?:
      for element in elements { sink.yield(element) }
      sink.finish(failure)
    case .handler(let handler)?:
      do {
        for element in try handler(request) { sink.yield(element) }
        core.end(call.number, .replied)
        sink.finish(nil)
      } catch {
        core.end(call.number, .failed(error))
        sink.finish(error)
      }
    case .driven(let driven)?:
      driven.open(logging(call.number, sink), request)
      return (call.number, { driven.leave() })
    case .played(let play)?:
      return (call.number, self.play(play, call.number, request, sink))
    case nil:
      let left = core.withLock { $0.state.scripts.leftCount }
      sink.finish(reports.unexpected(request, number: call.number, scriptsLeft: left))
    }
    return (call.number, {})
  }

  /// Begins a task that gives the elements; gives what ends it.
  private func play(
    _ play: @escaping @Sendable (Request, _ yield: @Sendable (Element) -> Void) async throws -> Void, _ number: Int,
    _ request: Request, _ sink: StreamSink<Element>
  ) -> @Sendable () -> Void {
    let driven = DrivenStream<Request, Element>()
    driven.open(logging(number, sink), request)
    // The end of the test ends it by that.
    core.withLock { $0.state.open[number]?.answer = .driven(driven) }
    let task = Task {
      do {
        try await play(request) { driven.yield($0) }
        driven.finish()
      } catch {
        driven.fail(error)
      }
    }
    return {
      driven.leave()
      task.cancel()
    }
  }

  /// A sink whose end is told to the log.
  private func logging(_ number: Int, _ sink: StreamSink<Element>) -> StreamSink<Element> {
    StreamSink(yield: sink.yield) { [weak self] error in
      self?.core.end(number, error.map { .failed($0) } ?? .replied)
      sink.finish(error)
    }
  }
}

extension FakeStream where Request == Void {
  /// Performs a call, and gives the sequence that the script for it says.
  public func callAsFunction() -> AsyncThrowingStream<Element, any Error> { self(()) }

  /// Performs a call, and gives the sequence that the script for it says; an error ends it, as it cannot throw.
  public func callAsFunction() -> AsyncStream<Element> { self(()) }
}

extension FakeStream: FakeMethod {
  /// Fails the test for unused scripts and open streams, and ends these streams.
  public func end() {
    let left = core.withLock { $0.state.finish() }
    reports.leftovers(left)
    for answer in left.scripts.map(\.script.answer) + left.calls.compactMap(\.answer) {
      if case .driven(let driven) = answer { driven.abandon() }
    }
  }

  /// Waits until no call is open, or the task is cancelled.
  public func waitUntilQuiet() async {
    await core.waitUntilQuiet()
  }

  /// Waits until all failures that were reported before are recorded for the test, also in a cancelled task.
  public func settle() async {
    await reports.settle()
  }

  /// Takes the times of the log from this clock, counted from now.
  public func use(clock: any Clock<Duration>) {
    core.withLock { $0.time = FakeTime(clock) }
  }

  /// Keeps `size` calls in the log.
  public func keepLog(_ size: FakeLogSize) {
    core.withLock { $0.state.log.keep(size) }
  }

  /// Does nothing: a stream meets no faults.
  public func inject(_ faults: FakeFaults?) {}
}
