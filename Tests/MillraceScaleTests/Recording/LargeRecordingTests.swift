import Foundation
import Millrace
import MillraceRecording
import MillraceReport
import MillraceTesting
import Testing

@testable import MillraceCommand

/// Reading a megabyte in a time that grows with the square of its size takes longer than this suite may take by far: to read
/// a megabyte of nested lists took minutes when one type after the other was tried at each of them.
@Suite("Large recordings", .timeLimit(.minutes(2)))
struct LargeRecordingTests {
  private static let size = scaled(1 << 20)

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Writes lines to a file, and returns it.
  private func file(_ lines: [String]) throws -> RecordingFile {
    try lines.map { $0 + "\n" }.joined().write(to: folder.file(), atomically: true, encoding: .utf8)
    return RecordingFile(path: folder.file().path, acceptsCutEnd: false)
  }

  private static func header(_ state: String) -> String {
    ##"{"millraceRecording":2,"actionType":"A","mutationType":"M","stateType":"S","redacted":false,"at":0,"revision":0,"##
      + ##""state":\##(state)}"##
  }

  private static func list(of part: String) -> String {
    "[" + Array(repeating: part, count: size / (part.utf8.count + 1)).joined(separator: ",") + "]"
  }

  private static let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)

  /// Pairs of values of a megabyte each that differ.
  private static let values: [(String, String)] = [
    (list(of: "1"), list(of: "2")), (list(of: "1e300"), list(of: "true")), (list(of: "[]"), list(of: "{}")),
    (list(of: deep), list(of: "[\(deep)]")),
    (list(of: "{\"a\":{\"b\":[{\"c\":0}]}}"), list(of: "{\"a\":{\"b\":[{\"c\":1}]}}")),
    ("{" + (1...scaled(80_000)).map { "\"key\($0)\":1" }.joined(separator: ",") + "}", "{}"),
    ("\"\(String(repeating: "x", count: size))\"", "\"\(String(repeating: "x", count: size))y\""),
    ("\"e\(String(repeating: "\u{301}", count: size / 2))\"", "\"f\(String(repeating: "\u{301}", count: size / 2))\""),
    ("{\"\(String(repeating: "k", count: size))\":1}", "{\"\(String(repeating: "k", count: size))\":2}"),
  ]

  @Test("A value of a megabyte is read without its type, compared and shown", arguments: values.indices)
  func value(index: Int) throws {
    let (old, new) = Self.values[index]
    let file = try file([
      Self.header(old), ##"{"kind":"action","at":1,"run":"#4@1","action":\##(new)}"##,
      ##"{"kind":"commit","at":1,"revision":1,"run":"#4@1","mutation":\##(old)}"##,
      ##"{"kind":"state","at":1,"revision":1,"state":\##(new)}"##,
    ])
    #expect(
      try UntypedRecordings(command: "millrace").facts(of: file).lines.contains {
        $0 == ("Commits", "1, up to revision 1")
      })
    var size = 0
    try UntypedRecordings(command: "millrace").page(of: file, rows: 10).write { size += $0.utf8.count }
    #expect(size > 1_000)
  }

  @Test(
    "A value, a key or a name of a megabyte that does not fit is refused in a short sentence", arguments: values.indices
  )
  func refused(index: Int) throws {
    let lines = [
      Self.header(Self.values[index].0),
      Self.header("{}").replacing("\"A\"", with: "\"\(String(repeating: "A", count: Self.size))\""),
    ]
    for line in lines {
      let error = #expect(throws: RecordingError.self) { try Recording<Market>.read(from: Data(line.utf8)) }
      #expect(error?.line == 1)
      #expect((error?.description.utf8.count ?? 0) < 2_000)
    }
  }

  /// Lines of one kind, a megabyte together; `#` in `line` is the number of the line.
  private static func lines(_ line: (Int) -> String) -> [String] {
    var (lines, size) = ([String](), 0)
    while size < Self.size {
      lines.append(line(lines.count + 1))
      size += lines[lines.count - 1].utf8.count + 1
    }
    return lines
  }

  private static let kinds: [[String]] = [
    lines { _ in ##"{"kind":"gap","at":0,"missed":0}"## },
    lines { ##"{"kind":"action","at":\##($0),"run":"#\##($0)@1","action":{"sell":{"_0":"tea","_1":1}}}"## },
    lines {
      ##"{"kind":"action","at":\##($0),"run":"#\##($0)@1","parent":"#\##($0 - 1)@1","action":{"ask":{"_0":"tea"}}}"##
    },
    lines { ##"{"kind":"call","at":\##($0),"took":1,"name":"n\##($0)","request":"1","reply":"1"}"## },
    lines {
      ##"{"kind":"commit","at":0,"revision":\##($0),"run":"#\##($0)@1","mutation":{"sold":{"_0":"tea","_1":1}}}"##
    },
    lines { ##"{"kind":"rest","at":\##($0),"run":"#1@1","attempt":\##($0),"duration":1}"## },
    lines { ##"{"kind":"end","at":\##($0),"run":"#\##($0)@1","outcome":"finished"}"## },
    lines { ##"{"kind":"state","at":\##($0),"revision":0,"state":{"sold":{},"tags":[],"failures":0}}"## },
  ]

  @Test("A megabyte of lines of one kind is read, replayed, resimulated and shown", arguments: kinds.indices)
  func kind(index: Int) async throws {
    let lines = [Self.header(#"{"sold":{},"tags":[],"failures":0}"#)] + Self.kinds[index]
    let file = try file(lines)
    let recording = try Recording<Market>.read(from: file.url)
    #expect(recording.entries.count == lines.count - 1)
    _ = try recording.replay()
    let report = await recording.resimulate(clock: ImmediateClock()) { Market(tape: $0) }
    #expect(!report.description.isEmpty)
    var size = 0
    try ServiceRecordings<Market>(redaction: nil).page(of: file, rows: .max).write { size += $0.utf8.count }
    try UntypedRecordings(command: "millrace").page(of: file, rows: .max).write { size += $0.utf8.count }
    #expect(size > 1_000)
  }
}
