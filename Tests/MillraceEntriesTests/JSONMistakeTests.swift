import Foundation
import MillraceEntries
import Testing

@Suite("JSONMistake")
struct JSONMistakeTests {
  private func mistake(_ data: Data) -> JSONMistake? {
    let error = #expect(throws: DecodingError.self) { try JSON.decoder().decode([String].self, from: data) }
    guard case .dataCorrupted(let context) = error else { return nil }
    return context.underlyingError as? JSONMistake
  }

  @Test(
    "The first mistake of a text has its line, its column and a fix",
    arguments: [
      ("", "line 1, column 1 is the end, and something is missing; \(ends)"),
      ("[\n  'a']", "line 2, column 3 has the quote ' where JSON has \"; write \" around each text"),
      ("[1,\n  “a”]", "line 2, column 3 has the quote “ where JSON has \"; write \" around each text"),
      ("[\"ä\", ‘b’]", "line 1, column 7 has the quote ‘ where JSON has \"; write \" around each text"),
      (
        "[\"a”,\n\"b\"]",
        "line 1, column 6 has a line break or a control character inside a text; end the text with \" before it"
      ),
      ("[\"a", "line 1, column 4 is the end, and something is missing; \(ends)"),
      ("[1\n", "line 2, column 1 is the end, and something is missing; \(ends)"),
      ("[1 2]", "line 1, column 4 has '2', which is not possible there; \(marks)"),
      ("[\u{1B}]", "line 1, column 2 has '\\u{1B}', which is not possible there; \(marks)"),
      ("[\"\\x\"]", "line 1, column 3 has a \\ that begins no escape; write \\\\ for the character itself"),
      (
        String(repeating: "[", count: 513), "line 1, column 514 is inside too many lists and objects; write it flatter"
      ),
    ])
  func syntax(text: String, sentence: String) {
    #expect(
      mistake(Data(text.utf8)).map { "\($0.position.map(String.init) ?? "") \($0.problem); \($0.fix)" } == sentence)
  }

  private static let ends = "end each text with \", each list with ] and each object with }"
  private static let marks = "write \" around each text, and a comma between two values"

  @Test("A text that ends with the bracket that is one too many is refused, at which the decoder of Foundation traps")
  func deepest() {
    let text = String(repeating: "[", count: 513)
    for data in [Data(text.utf8), text.data(using: .utf16LittleEndian)!, text.data(using: .utf16BigEndian)!] {
      #expect(mistake(data)?.problem == "is inside too many lists and objects")
    }
  }

  @Test("Bytes that are no UTF-8 have a place")
  func encoding() {
    let mistake = mistake(Data("[\"a\",\n\"".utf8) + [0xFF] + Data("\"]".utf8))
    #expect(mistake?.position?.description == "line 2, column 2")
    #expect(mistake?.problem == "has bytes that are no UTF-8" && mistake?.fix == "save the text as UTF-8")
  }

  @Test("The reason of an entry that cannot be decoded has the column of its mistake, or the number that does not fit")
  func reason() throws {
    func reason(_ text: String) -> String? {
      #expect(throws: DecodingError.self) { try JSON.value([String: Int].self, from: text) }.map(DecodingReason.text)
    }
    #expect(reason("{\"a\":") == "it is no JSON, because its column 6 is the end, and something is missing")
    #expect(reason("{\"a\":1e400}") == "it has the number 1e400, which does not fit")
    #expect(reason("{\"a\":99999999999999999999}") == "it has a number that does not fit")
    #expect(reason("{\"a\":\"b\"}") == "\"a\" is no Int")
    let list = #expect(throws: DecodingError.self) { try JSON.value([[String: Int]].self, from: "[{},{\"a\":\"b\"}]") }
    #expect(list.map(DecodingReason.text) == "\"[1].a\" is no Int")
    #expect(reason("{\n'") == "it is no JSON, because its line 2, column 1 has the quote ' where JSON has \"")
  }
}
