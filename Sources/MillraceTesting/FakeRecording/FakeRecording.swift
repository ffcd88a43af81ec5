import Foundation

/// The calls of live gateways that a ``FakeRecorder`` wrote to a file, to be replayed.
///
/// ```swift
/// let recording = try FakeRecording(path: "Tests/Fixtures/records.jsonl")
/// try gateway.fetches.replay(recording)
/// ```
///
/// The file is read once; it may be used for several fakes and tests.
public struct FakeRecording: Sendable {
  private struct Line: Sendable {
    let number: Int
    let call: String
    let data: Data
  }

  private struct Name: Decodable {
    let call: String
  }

  /// Where the file is.
  public let path: String
  private let lines: [Line]

  /// Reads a recording.
  ///
  /// - Throws: ``FakeRecordingError`` when it cannot be read, is of a newer version, or a line is not that of a call.
  public init(path: String) throws(FakeRecordingError) {
    self.path = path
    guard let data = FileManager.default.contents(atPath: path) else {
      throw FakeRecordingError(
        .inaccessible, path, "there is no recording that can be read; record it with a FakeRecorder of this path.")
    }
    let texts = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    try Self.check(texts.first ?? Data(), path)
    var lines: [Line] = []
    for (index, text) in texts.enumerated().dropFirst() where !text.isEmpty {
      guard let name = try? JSONDecoder().decode(Name.self, from: text) else {
        throw FakeRecordingError(
          .broken, path, line: index + 1,
          "this line is not that of a call, or is cut off; take it out, or record the file again.")
      }
      lines.append(Line(number: index + 1, call: name.call, data: text))
    }
    self.lines = lines
  }

  private static func check(_ line: Data, _ path: String) throws(FakeRecordingError) {
    let current = FakeRecordingHeader.current
    guard let header = try? JSONDecoder().decode(FakeRecordingHeader.self, from: line), header.format == current.format
    else {
      throw FakeRecordingError(
        .broken, path, line: 1,
        "a recording of fake calls begins with a line that says its format; record the file again with a FakeRecorder.")
    }
    if header.version > current.version {
      throw FakeRecordingError(
        .newer, path, line: 1,
        """
        this recording is of version \(header.version), and versions up to \(current.version) can be read; take a \
        newer Millrace, or record the file again.
        """)
    }
  }

  /// The calls of one fake, in the order in which they ended, each with the JSON of its request.
  func calls<Request: Codable, Response: Codable>(
    of name: String, _ request: Request.Type, _ response: Response.Type
  ) throws(FakeRecordingError) -> [(call: RecordedCall<Request, Response>, request: Data)] {
    let own = lines.filter { $0.call == name }
    if own.isEmpty {
      let others = Set(lines.map(\.call)).sorted().joined(separator: ", ")
      throw FakeRecordingError(
        .withoutCall, path,
        """
        there is no call of \(name), but \(others.isEmpty ? "none at all" : "of \(others)"); give the fake the name it \
        was recorded with, or record the file again.
        """)
    }
    var calls: [(call: RecordedCall<Request, Response>, request: Data)] = []
    for line in own {
      guard let call = try? JSONDecoder().decode(RecordedCall<Request, Response>.self, from: line.data),
        let request = try? JSONEncoder.sorted.encode(call.request)
      else {
        throw FakeRecordingError(
          .broken, path, line: line.number,
          """
          this call of \(name) does not go from \(Request.self) to \(Response.self), as the fake does; record the file \
          again, or let the types decode what they were.
          """)
      }
      calls.append((call, request))
    }
    return calls
  }
}

extension FakeCall where Request: Codable, Response: Codable {
  /// Scripts every recorded call of this fake's name: a call with its request gets its response, or fails with its
  /// error.
  ///
  /// Equal requests get their answers in the order in which they were recorded; requests are equal when they are
  /// encoded to the same JSON. Each recorded call has to be made. What failed fails with
  /// ``FakeGatewayError/Code/recordedFailure``, which has the description of the error then.
  ///
  /// - Throws: ``FakeRecordingError`` when the recording has no such call, or one does not fit the types of the fake;
  ///   nothing is scripted then.
  public func replay(
    _ recording: FakeRecording, file: StaticString = #filePath, line: UInt = #line
  ) throws(FakeRecordingError) {
    for (call, recorded) in try recording.calls(of: name, Request.self, Response.self) {
      let scripted = when { (try? JSONEncoder.sorted.encode($0)) == recorded }
      switch call.ending {
      case .response(let response): scripted.reply(response, file: file, line: line)
      case .failure(let text):
        scripted.fail(FakeGatewayError(.recordedFailure, text), file: file, line: line)
      }
    }
  }
}
