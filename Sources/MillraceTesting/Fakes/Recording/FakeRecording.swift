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

  /// The path of the file.
  public let path: String
  private let lines: [Line]

  /// Reads a recording.
  ///
  /// - Throws: ``FakeRecordingError`` when it cannot be read, is of a newer version, or a line is not the record of a call.
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

  /// The calls of one fake as scripts, in the order in which they ended; a call finds its own by its request.
  ///
  /// - Parameter script: gives the script for a recorded answer; nil if it does not fit the fake.
  func scripts<Request, Value, Answer>(
    of name: String, _ forms: RecordedForms<Request, Value>,
    _ script: (RecordedCall<Request, Value>.Answer) -> FakeScript<Request, Answer>?
  ) throws(FakeRecordingError) -> KeyedScripts<Request, Answer> {
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
    var scripts: [(key: String, script: FakeScript<Request, Answer>)] = []
    for line in own {
      let call = try? JSONDecoder().decode(RecordedCall<Request, Value>.self, from: line.data, configuration: forms)
      guard let call, let script = script(call.answer), let key = Self.key(of: call, in: line, forms.request) else {
        throw FakeRecordingError(
          .broken, path, line: line.number,
          """
          this call of \(name) does not go from \(Request.self) to \(Value.self), as the fake does; record the file \
          again, or let the types decode what they were.
          """)
      }
      scripts.append((key, script))
    }
    let form = forms.request
    return KeyedScripts(scripts) { request in
      guard let json = try? form.json(of: request) else { return nil }
      return form.decoded == nil ? Self.canonical(json) : String(decoding: json, as: UTF8.self)
    }
  }

  /// The key of a recorded request: its JSON, or, where no request can be decoded from that, its recorded text.
  private static func key<Request, Value>(
    of call: RecordedCall<Request, Value>, in line: Line, _ form: RecordedForm<Request>
  ) -> String? {
    if let request = call.request { return try? String(decoding: form.json(of: request), as: UTF8.self) }
    let object = try? JSONSerialization.jsonObject(with: line.data) as? [String: Any]
    guard let request = object?[RecordedKey.request.rawValue] else { return nil }
    return canonical(request)
  }

  /// The same text for all JSON that says the same.
  private static func canonical(_ json: Data) -> String? {
    (try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed)).flatMap { canonical($0) }
  }

  private static func canonical(_ object: Any) -> String? {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
    return (try? JSONSerialization.data(withJSONObject: object, options: options)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// The reason for which a recording of a gateway's calls cannot be written or replayed.
public struct FakeRecordingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reasons there are; more may come.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case inaccessible, inUse, broken, newer, withoutCall, empty, finished
    }

    fileprivate let kind: Kind

    /// The file cannot be read or written.
    public static let inaccessible = Code(kind: .inaccessible)

    /// Another recorder writes to the file.
    public static let inUse = Code(kind: .inUse)

    /// A line is broken.
    public static let broken = Code(kind: .broken)

    /// The file is of a newer version.
    public static let newer = Code(kind: .newer)

    /// The file has no call of that name.
    public static let withoutCall = Code(kind: .withoutCall)

    /// Nothing was recorded.
    public static let empty = Code(kind: .empty)

    /// The recording was finished before.
    public static let finished = Code(kind: .finished)
  }

  /// The reason.
  public let code: Code

  /// The line of the file that it is about, from 1; nil if it is about the whole file.
  public let line: Int?

  /// The reason as a sentence, with the file, the line and the fix.
  public let description: String

  init(_ code: Code, _ path: String, line: Int? = nil, _ sentence: String) {
    self.code = code
    self.line = line
    description = "\(path)\(line.map { ":\($0)" } ?? ""): \(sentence)"
  }
}

/// The first line of a recording.
struct FakeRecordingHeader: Codable, Equatable {
  var format: String
  var version: Int

  /// The version of new recordings.
  static let current = FakeRecordingHeader(format: "millrace-fake-calls", version: 1)
}

/// The names in a line of a recording.
enum RecordedKey: String, CodingKey {
  case call, request, response, elements, at, element, failure, error, open
}
