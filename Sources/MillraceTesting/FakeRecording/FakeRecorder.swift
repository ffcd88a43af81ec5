import Foundation
import Millrace

/// Writes the calls of live gateways to a file, for a ``FakeRecording`` to replay them.
///
/// ```swift
/// let recorder = try FakeRecorder(path: "Tests/Fixtures/records.jsonl")
/// gateway.fetches.record(in: recorder) { try await live.fetch($0) }
/// ```
///
/// The file has one JSON object a line: its version, and then each call when it has ended, with the name of the fake,
/// the request, and the response or the description of the error. It holds what the gateway was told and said: no
/// secrets that must not be in a repository. Keys are sorted, so that two recordings can be compared. It may be used
/// from any thread.
public final class FakeRecorder: Sendable {
  /// Where the file is.
  public let path: String
  private let file: Lock<FileHandle>

  /// Begins a file, in place of one that is there.
  ///
  /// - Throws: ``FakeRecordingError/Code/inaccessible`` when it cannot be written.
  public init(path: String) throws(FakeRecordingError) {
    self.path = path
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw Self.inaccessible(path) }
    self.file = Lock(file)
    try write(FakeRecordingHeader.current)
  }

  /// Writes a line.
  func write(_ value: some Encodable) throws(FakeRecordingError) {
    let line: Data
    do { line = try JSONEncoder.sorted.encode(value) + Data([0x0A]) } catch {
      throw FakeRecordingError(.broken, path, "a call cannot be encoded as JSON, and is left out: \(error).")
    }
    do { try file.withLock { try $0.write(contentsOf: line) } } catch { throw Self.inaccessible(path) }
  }

  private static func inaccessible(_ path: String) -> FakeRecordingError {
    FakeRecordingError(
      .inaccessible, path, "a recording cannot be written there; see that its folder exists and may be written to.")
  }
}

extension JSONEncoder {
  /// Equal values have equal texts.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

extension FakeCall where Request: Codable, Response: Codable {
  /// Answers each call for which there is no other script by a live gateway, and records it.
  ///
  /// Responses and errors are those of the gateway. A call that is cancelled is not recorded. A call that cannot be
  /// written fails the test at this line.
  public func record(
    in recorder: FakeRecorder, file: StaticString = #filePath, line: UInt = #line,
    from live: @escaping @Sendable (_ request: Request) async throws -> Response
  ) {
    let (name, reports) = (name, reports)
    @Sendable func write(_ request: Request, _ ending: RecordedCall<Request, Response>.Ending) {
      do {
        try recorder.write(RecordedCall(call: name, request: request, ending: ending))
      } catch { reports.fail("\(error)", at: ScriptPlace(file, line)) }
    }
    always(file: file, line: line) { request in
      do {
        let response = try await live(request)
        write(request, .response(response))
        return response
      } catch {
        if !(error is CancellationError) { write(request, .failure("\(error)")) }
        throw error
      }
    }
  }
}
