import Foundation
import Millrace
import Testing

@testable import MillraceCommand

@Suite("JSON values")
struct JSONValueTests {
  private func value(_ json: String) throws -> JSONValue {
    JSONValue(parsed: try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed))
  }

  @Test(
    "Any JSON is read, and reads as it was, with sorted keys",
    arguments: [
      ("null", "null"), ("true", "true"), ("7", "7"), ("-7", "-7"), ("1", "1"), ("0.5", "0.5"), ("1e300", "1e+300"),
      ("false", "false"), ("0", "0"), ("1.0", "1"), ("-9223372036854775808", "-9223372036854775808"),
      ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "9223372036854775808"),
      ("18446744073709551615", "18446744073709551615"),
      (#""a\"b""#, #""a\"b""#), ("[]", "[]"), ("[1,[2],null]", "[1,[2],null]"), ("{}", "{}"),
      (#"{"b":1,"a":{"c":false}}"#, #"{"a":{"c":false},"b":1}"#),
    ])
  func reading(json: String, text: String) throws {
    let value = try value(json)
    #expect(value.description == text)
    #expect(try self.value(String(decoding: JSONEncoder().encode([value]), as: UTF8.self)) == .array([value]))
  }

  @Test(
    "A difference is told by its path",
    arguments: [
      (#"{"a":1}"#, #"{"a":1}"#, []),
      (#"{"a":1,"b":{"c":[1,2]}}"#, #"{"a":1,"b":{"c":[1,3]}}"#, [#"["b"]["c"][1]: 2 → 3"#]),
      (#"{"a":1}"#, #"{"b":2}"#, [#"["a"]: removed 1"#, #"["b"]: added 2"#]),
      (#"{"a":null}"#, #"{"a":"x"}"#, [#"["a"]: null → "x""#]),
      (#"{"a":1}"#, #"{"a":[1]}"#, [#"["a"]: 1 → [1]"#]),
      // A Double holds both as the same number.
      ("18446744073709551615", "18446744073709551614", ["18446744073709551615 → 18446744073709551614"]),
      (#"{"a":true}"#, #"{"a":false}"#, [#"["a"]: true → false"#]),
      (#"{"a":"x"}"#, #"{"a":"y"}"#, [#"["a"]: "x" → "y""#]),
    ])
  func difference(old: String, new: String, lines: [String]) throws {
    #expect(ValueDifference(from: try value(old), to: try value(new)).lines == lines)
  }

  @Test(
    "The encoding of an enum's case has its name",
    arguments: [(#"{"put":{"_0":1}}"#, "put"), (#""reload""#, "reload"), (#"{"a":1,"b":2}"#, nil), ("7", nil)])
  func caseName(json: String, name: String?) throws {
    #expect(try value(json).caseName == name)
  }
}
