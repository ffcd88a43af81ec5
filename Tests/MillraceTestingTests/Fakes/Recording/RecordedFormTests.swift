import Foundation
import Testing

@testable import MillraceTesting

@Suite("RecordedForm")
struct RecordedFormTests {
  private func json<Value: Sendable>(_ value: Value, as form: RecordedForm<Value> = .automatic) throws -> String {
    String(decoding: try form.json(of: value), as: UTF8.self)
  }

  private struct Opaque: Sendable {}

  private func problem<Value: Sendable>(_ value: Value) -> String {
    do { return "none: \(try json(value))" } catch { return "\(error)" }
  }

  @Test("A Codable value is written as it is encoded, no value as null, several arguments by their labels")
  func automatic() throws {
    #expect(try json("a") == #""a""#)
    #expect(try json([1, 2]) == "[1,2]")
    #expect(try json(Int?.none) == "null")
    #expect(try json(Data([1, 2, 3])) == #""AQID""#)
    #expect(try json(()) == "null")
    #expect(try json((name: "a", index: 1)) == #"{"index":1,"name":"a"}"#)
    #expect(try json((name: "a", 1, at: [2.5])) == #"{"1":1,"at":[2.5],"name":"a"}"#)
  }

  @Test("A value that cannot be recorded is told with its type and the fix")
  func cannotBeRecorded() {
    let fix = """
      is neither Codable nor a tuple of what is; make it Codable, or give a RecordedForm that records it as something else
      """
    #expect(problem(Opaque()) == "Opaque \(fix)")
    #expect(problem((1, Opaque())) == "Opaque \(fix)")
  }

  @Test("A value recorded in another form is decoded from that form")
  func otherForm() throws {
    struct Wrapper: Decodable, DecodableWithConfiguration {
      var number = 0

      init(from decoder: any Decoder) {}

      init(from decoder: any Decoder, configuration: RecordedForm<(Int, String)>) throws {
        number = try configuration.decoded?(decoder).0 ?? -1
      }
    }
    let sorted = RecordedForm<Set<Int>>({ $0.sorted() }, back: { Set($0) })
    #expect(try json(Set(1...50), as: sorted) == json(Array(1...50)))
    let form = RecordedForm<(Int, String)>({ "\($0.0)" }, back: { (Int($0) ?? 0, "") })
    #expect(try json((7, "lost"), as: form) == #""7""#)
    #expect(try JSONDecoder().decode(Wrapper.self, from: Data(#""7""#.utf8), configuration: form).number == 7)
  }
}
