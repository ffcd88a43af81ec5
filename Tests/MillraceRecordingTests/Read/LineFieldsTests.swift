import Foundation
import Testing

@testable import MillraceRecording

@Suite("LineFields")
struct LineFieldsTests {
  /// The answer of the fields of a text to a question; nil where the text is left to the decoder.
  private func ask<Answer>(_ json: [UInt8], _ question: (LineFields) -> Answer?) -> Answer? {
    json.withUnsafeBytes { LineFields($0).flatMap(question) }
  }

  private func isTaken(_ json: [UInt8]) -> Bool { ask(json) { _ in true } ?? false }

  @Test(
    "A text as an encoder writes it is taken apart",
    arguments: [
      "{}", #"{"a":1}"#, #" { "a" : [ ] , "b" : { "c" : null } } "#, #"{"a":[1,-0.5,1e10,1E-99,true,false,{"b":"c"}]}"#,
      #"{"é":"日本 \" \\ \/ \b\f\n\r\t \u00e9"}"#,
    ])
  func taken(json: String) { #expect(isTaken(Array(json.utf8))) }

  @Test(
    "A text that is no JSON, or that not every reader accepts, is left to the decoder",
    arguments: [
      "", "1", "[]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1}}"#, #"{"a":1} {"#, #"{"a":[1,]}"#,
      #"{"a":01}"#,
      #"{"a":-}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":1e}"#, #"{"a":1e400}"#, #"{"a":tru}"#, #"{"a":"\x"}"#,
      #"{"a":"\u12g4"}"#, #"{"a":"\ud800"}"#, #"{"a":"\uDFFF"}"#, "{\"a\":\"\u{1}\"}", #"{"a":"b"#, #"{"a":"\"#,
      "{\"a\":\(String(repeating: "[", count: 200))\(String(repeating: "]", count: 200))}",
      "{\"a\":\(String(repeating: "1", count: 33))}",
    ])
  func left(json: String) { #expect(!isTaken(Array(json.utf8))) }

  @Test("Bytes that are no UTF-8 are left to the decoder")
  func noText() { #expect(!isTaken(Array(#"{"a":"#.utf8) + [0x22, 0xC3, 0x28, 0x22, 0x7D])) }

  @Test("A value has its type, or is left to the decoder")
  func values() {
    let json = Array(
      #"{"a":"x\"\u00e9\n","b":"y","n":-12,"big":1234567890123456789,"f":1.5,"t":true,"z":null,"n2":1,"n2":2}"#.utf8)
    #expect(ask(json) { $0.string("a") } == "x\"é\n" && ask(json) { $0.string("b") } == "y")
    #expect(ask(json) { $0.string("n") } == nil && ask(json) { $0.string("none") } == nil)
    #expect(ask(json) { $0.integer("n") } == -12)
    for key: StaticString in ["big", "f", "t", "z", "a", "n2", "none"] { #expect(ask(json) { $0.integer(key) } == nil) }
    #expect(ask(json) { $0.bool("t") } == true && ask(json) { $0.bool("z") } == nil)
    #expect(ask(json) { $0.has("n2") } == true && ask(json) { $0.has("none") } == false)
  }
}
