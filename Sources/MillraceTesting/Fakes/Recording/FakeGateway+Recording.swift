import Foundation
import Millrace

extension FakeCall {
  /// Answers each call for which there is no other script by a live gateway, and records it.
  ///
  /// Responses and errors come from the gateway. A call that is cancelled is not recorded. A call that cannot be written fails
  /// the test at this line.
  ///
  /// ```swift
  /// gateway.removals.record(in: recorder, errors: Offline.self) { try await live.remove($0.name, at: $0.index) }
  /// ```
  ///
  /// - Parameters:
  ///   - recorder: the recorder that writes the recording.
  ///   - request: the recorded form of a request; by default as ``RecordedForm/automatic`` says, which does for tuples.
  ///   - response: the recorded form of a response; by default as ``RecordedForm/automatic`` says, which does not for tuples.
  ///   - errors: the type of the errors that are to be thrown again; of others their descriptions are recorded.
  ///   - file: the file of failures to record.
  ///   - line: the line of failures to record.
  ///   - live: calls the live gateway.
  public func record<Failure: Error & Codable>(
    in recorder: FakeRecorder, request: RecordedForm<Request> = .automatic,
    response: RecordedForm<Response> = .automatic, errors: Failure.Type = Never.self,
    file: StaticString = #filePath, line: UInt = #line,
    from live: @escaping @Sendable (_ request: Request) async throws -> Response
  ) {
    let forms = RecordedForms(request: request, value: response, errors: RecordedErrors(errors))
    let (name, reports, location) = (name, reports, TestLine(file, line))
    if response.decoded == nil { reports.cannotBeReplayed(Response.self, at: location) }
    @Sendable func write(_ request: Request, _ answer: RecordedCall<Request, Response>.Answer) {
      do {
        try recorder.write(RecordedCall(call: name, request: request, answer: answer), forms)
      } catch { reports.fail("\(error)", at: location) }
    }
    always(file: file, line: line) { request in
      do {
        let response = try await live(request)
        write(request, .response(response))
        return response
      } catch {
        if !(error is CancellationError) { write(request, .failure(error)) }
        throw error
      }
    }
  }

  /// Scripts every recorded call of this fake's name: a call with its request gets its response, or fails with its
  /// error.
  ///
  /// Equal requests get their answers in the order in which they were recorded; requests are equal when they are
  /// encoded to the same JSON, and a call takes no longer for many of them. Scripts of `when(_:)` come first. Each
  /// recorded call has to be made. A call that failed fails with its error where `errors` is its type, and otherwise with
  /// ``FakeGatewayError/Code/recordedFailure``, which has the description of the error then.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - request: the recorded form of requests, as when it was recorded.
  ///   - response: the recorded form of responses, as when it was recorded.
  ///   - errors: the type of the errors that are thrown again.
  ///   - file: the file of failures for calls that are not made.
  ///   - line: the line of failures for calls that are not made.
  /// - Throws: ``FakeRecordingError`` when the recording has no such call, or one does not fit the types of the fake;
  ///   nothing is scripted then.
  public func replay<Failure: Error & Codable>(
    _ recording: FakeRecording, request: RecordedForm<Request> = .automatic,
    response: RecordedForm<Response> = .automatic, errors: Failure.Type = Never.self,
    file: StaticString = #filePath, line: UInt = #line
  ) throws(FakeRecordingError) {
    let forms = RecordedForms(request: request, value: response, errors: RecordedErrors(errors))
    let location = TestLine(file, line)
    let scripts = try recording.scripts(of: name, forms) {
      (answer) -> FakeScript<Request, FakeAnswer<Request, Response>>? in
      switch answer {
      case .response(let response): FakeScript(.reply(response), times: 1, location: location)
      case .failure(let error): FakeScript(.failure(error), times: 1, location: location)
      case .stream: nil
      }
    }
    core.withLock { $0.state.scripts.add(scripts) }
  }
}

extension FakeReports {
  /// The recording could not be decoded.
  func cannotBeReplayed(_ type: Any.Type, at location: TestLine) {
    fail(
      """
      What \(name) gives is recorded, but cannot be replayed: a \(type) cannot be decoded. Make it Codable, or give a \
      RecordedForm that makes it of something that is.
      """, at: location)
  }
}

extension FakeStream {
  /// Answers each call for which there is no other script by a live gateway, and records its elements with their times.
  ///
  /// Elements and errors come from the gateway, whose sequence is iterated in a task that ends with the consumer. A stream
  /// is recorded when it is over; one that its consumer leaves, or that is open when the recorder is finished, is recorded as
  /// open. A stream that cannot be written fails the test at this line.
  ///
  /// - Parameters:
  ///   - recorder: the recorder that writes the recording.
  ///   - request: the recorded form of a request; by default as ``RecordedForm/automatic`` says, which does for tuples.
  ///   - element: the recorded form of an element; by default as ``RecordedForm/automatic`` says, which does not for tuples.
  ///   - errors: the type of the errors that are to be thrown again; of others their descriptions are recorded.
  ///   - file: the file of failures to record.
  ///   - line: the line of failures to record.
  ///   - live: calls the live gateway.
  public func record<Failure: Error & Codable, Elements: AsyncSequence>(
    in recorder: FakeRecorder, request: RecordedForm<Request> = .automatic,
    element: RecordedForm<Element> = .automatic, errors: Failure.Type = Never.self,
    file: StaticString = #filePath, line: UInt = #line,
    from live: @escaping @Sendable (_ request: Request) async throws -> Elements
  ) where Elements.Element == Element, Elements: SendableMetatype, Elements.AsyncIterator: SendableMetatype {
    let forms = RecordedForms(request: request, value: element, errors: RecordedErrors(errors))
    let (name, reports, location) = (name, reports, TestLine(file, line))
    if element.decoded == nil { reports.cannotBeReplayed(Element.self, at: location) }
    let script = FakeScript<Request, FakeStreamAnswer<Request, Element>>(
      .played { request, yield in
        let taken = TakenStream(call: name, request: request, recorder: recorder, forms: forms) {
          reports.fail("\($0)", at: location)
        }
        do {
          for try await element in try await live(request) {
            taken.add(element)
            yield(element)
          }
          taken.end(Task.isCancelled ? .open : .success)
        } catch {
          taken.end(error is CancellationError ? .open : .failure(error))
          throw error
        }
      }, times: nil, location: location)
    add(script)
  }

  /// Scripts every recorded stream of this fake's name: a call with its request gets its elements and its end.
  ///
  /// The elements come at once, or, with a clock, at their times on it. A stream that was recorded as open stays open after
  /// them until its consumer leaves. A call gets its stream, and has to be made, as for ``FakeCall``.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - request: the recorded form of requests, as when it was recorded.
  ///   - element: the recorded form of elements, as when it was recorded.
  ///   - errors: the type of the errors that are thrown again.
  ///   - clock: the clock on which elements come at their times since the call; nil gives them at once.
  ///   - file: the file of failures for calls that are not made.
  ///   - line: the line of failures for calls that are not made.
  /// - Throws: ``FakeRecordingError`` when the recording has no such stream, or one does not fit the types of the fake;
  ///   nothing is scripted then.
  public func replay<Failure: Error & Codable>(
    _ recording: FakeRecording, request: RecordedForm<Request> = .automatic,
    element: RecordedForm<Element> = .automatic, errors: Failure.Type = Never.self,
    clock: (any Clock<Duration>)? = nil, file: StaticString = #filePath, line: UInt = #line
  ) throws(FakeRecordingError) {
    let forms = RecordedForms(request: request, value: element, errors: RecordedErrors(errors))
    let location = TestLine(file, line)
    let scripts = try recording.scripts(of: name, forms) {
      (answer) -> FakeScript<Request, FakeStreamAnswer<Request, Element>>? in
      guard case .stream(let elements, let end) = answer else { return nil }
      return FakeScript(Self.answer(elements, end, clock), times: 1, location: location)
    }
    add(scripts)
  }

  private static func answer(
    _ elements: [RecordedCall<Request, Element>.Element], _ end: RecordedEnd, _ clock: (any Clock<Duration>)?
  ) -> FakeStreamAnswer<Request, Element> {
    guard let clock else {
      let values = elements.map(\.value)
      switch end {
      case .success: return .elements(values, failure: nil)
      case .failure(let error): return .elements(values, failure: error)
      case .open:
        let driven = DrivenStream<Request, Element>()
        for value in values { driven.yield(value) }
        return .driven(driven)
      }
    }
    return .played { _, yield in
      var time = Duration.zero
      for element in elements {
        if element.time > time { try await clock.sleep(for: element.time - time) }
        time = max(time, element.time)
        yield(element.value)
      }
      switch end {
      case .success: return
      case .failure(let error): throw error
      case .open: try await Gate().enter()
      }
    }
  }
}

/// A stream that is being recorded.
private final class TakenStream<Request: Sendable, Element: Sendable>: Sendable {
  typealias Call = RecordedCall<Request, Element>

  private let call: String
  private let request: Request
  private let recorder: FakeRecorder
  private let forms: RecordedForms<Request, Element>
  private let time: FakeTime
  private let elements = Lock([Call.Element]())
  private let number: Int
  private let fail: @Sendable (FakeRecordingError) -> Void

  init(
    call: String, request: Request, recorder: FakeRecorder, forms: RecordedForms<Request, Element>,
    fail: @escaping @Sendable (FakeRecordingError) -> Void
  ) {
    (self.call, self.request, self.recorder, self.forms) = (call, request, recorder, forms)
    self.fail = fail
    time = recorder.time()
    number = recorder.makeStream()
    recorder.begin(number) { [weak self] in self?.end(.open) }
  }

  func add(_ element: Element) {
    let time = time.now
    elements.withLock { $0.append(Call.Element(time: time, value: element)) }
  }

  /// Writes it, unless that was done.
  func end(_ end: RecordedEnd) {
    let answer = Call.Answer.stream(elements.withLock { $0 }, end)
    do {
      try recorder.write(Call(call: call, request: request, answer: answer), forms, stream: number)
    } catch { fail(error) }
  }
}
