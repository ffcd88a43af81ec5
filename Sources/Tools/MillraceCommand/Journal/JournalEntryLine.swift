import Foundation
import MillraceFlags
import MillraceJournal
import MillraceRecording

/// A line of a list of entries.
struct JournalEntryLine {
  static let headings = line("SEQUENCE", "TIME", "KIND", "RUN", "REVISION", "POSITION", "PAYLOAD")

  let text: String

  init(_ record: JournalRecord, isFull: Bool) {
    let payload = record.entry.payload
    let json = JournalJSON(payload)
    let shown = json.map { isFull ? $0.text : RecordingTexts<UntypedService>.shortened($0.text) }
    text = Self.line(
      "\(record.sequence)", record.time.map { "\(WallTimeText($0))" } ?? "-", "\(record.entry.kind)",
      json?.run.map { "\($0)" } ?? "-", record.entry.revision.map { "\($0)" } ?? "-",
      record.position.map { "\($0)" } ?? "-", shown?.shownOnOneLine() ?? "\(payload.count) bytes")
  }

  private static func line(
    _ sequence: String, _ time: String, _ kind: String, _ run: String, _ revision: String, _ position: String,
    _ payload: String
  ) -> String {
    [
      sequence.padded(to: 8, isNumber: true), time.padded(to: 24), kind.padded(to: 8),
      run.padded(to: 8, isNumber: true),
      revision.padded(to: 8, isNumber: true), position.padded(to: 8, isNumber: true), payload,
    ].joined(separator: "  ")
  }
}

/// The payload of an entry that is JSON.
struct JournalJSON {
  /// The text as it is stored.
  let text: String
  private let value: JSONValue

  /// Reads a payload; nil if it is no JSON.
  init?(_ payload: [UInt8]) {
    guard let text = String(validating: payload, as: UTF8.self),
      let parsed = try? JSONSerialization.jsonObject(with: Data(payload), options: .fragmentsAllowed)
    else { return nil }
    self.text = text
    value = JSONValue(parsed: parsed)
  }

  /// The head of an entry of a store; nil if it has none.
  private var head: [String: JSONValue]? {
    guard case .object(let object) = value, case .object(let head) = object["head"] else { return nil }
    return head
  }

  /// The action of a take-up; nil if it has none.
  var action: String? { head?["action"]?.description }

  /// The sequence of the take-up of the run that an entry of a store names; nil if it names none.
  var run: UInt64? {
    switch head?["run"] {
    case .integer(let number): return UInt64(exactly: number)
    case .unsigned(let number): return number
    default: return nil
    }
  }
}

extension String {
  /// The text behind blanks if it is a number, or before blanks, at least this wide.
  func padded(to width: Int, isNumber: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(width - count, 0))
    return isNumber ? blanks + self : self + blanks
  }

  /// The text with line breaks, too, as escapes.
  func shownOnOneLine() -> String { shownOnTerminal().replacing("\n", with: "\\n") }
}
