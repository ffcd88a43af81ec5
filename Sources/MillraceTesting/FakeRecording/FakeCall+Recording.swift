import Foundation
import Millrace

extension FakeCall {
  /// Answers each call for which there is no other script by a live gateway, and records it.
  ///
  /// Responses and errors are those of the gateway. A call that is cancelled is not recorded. What cannot be written fails
  /// the test at this line.
  ///
  /// ```swift
  /// gateway.removals.record(in: recorder, errors: Offline.self) { try await live.remove($0.name, at: $0.index) }
  /// ```
  ///
  /// - Parameters:
  ///   - recorder: what writes the recording.
  ///   - request: how a request stands there; by default as ``RecordedForm/automatic`` says, which does for tuples.
  ///   - response: how a response stands there; by default as ``RecordedForm/automatic`` says, which does not for tuples.
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
    let (name, reports, place) = (name, reports, ScriptPlace(file, line))
    if response.decoded == nil { reports.cannotBeReplayed(Response.self, at: place) }
    @Sendable func write(_ request: Request, _ answer: RecordedCall<Request, Response>.Answer) {
      do {
        try recorder.write(RecordedCall(call: name, request: request, answer: answer), forms)
      } catch { reports.fail("\(error)", at: place) }
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
  /// encoded to the same JSON, and a call takes no longer for many of them. What `when(_:)` scripts goes before. Each
  /// recorded call has to be made. What failed fails with its error where `errors` is its type, and otherwise with
  /// ``FakeGatewayError/Code/recordedFailure``, which has the description of the error then.
  ///
  /// - Parameters:
  ///   - recording: what was recorded.
  ///   - request: how requests stand there, as when it was recorded.
  ///   - response: how responses stand there, as when it was recorded.
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
    let place = ScriptPlace(file, line)
    let scripts = try recording.scripts(of: name, forms) {
      (answer) -> FakeScript<Request, FakeAnswer<Request, Response>>? in
      switch answer {
      case .response(let response): FakeScript(.reply(response), times: 1, place: place)
      case .failure(let error): FakeScript(.failure(error), times: 1, place: place)
      case .stream: nil
      }
    }
    core.withLock { $0.state.scripts.add(scripts) }
  }
}

extension FakeReports {
  /// The recording could not be decoded.
  func cannotBeReplayed(_ type: Any.Type, at place: ScriptPlace) {
    fail(
      """
      What \(name) gives is recorded, but cannot be replayed: a \(type) cannot be decoded. Make it Codable, or give a \
      RecordedForm that makes it of something that is.
      """, at: place)
  }
}
