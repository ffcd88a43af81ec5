import Foundation
import Testing

@testable import MillraceRecording

/// The texts of errors whose contents must stay secret.
@Suite("Error kind")
struct ErrorKindTests {
  enum Trouble: Error {
    case plain
    case named(String)
  }

  struct Whole: Error { var secret = "secret" }

  enum Key: String, CodingKey { case customer }

  struct Name: CodingKey {
    var stringValue: String
    var intValue: Int?
    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
  }

  @Test("Of an error its type is told, and its case or code")
  func kinds() {
    let here = "MillraceRecordingTests.ErrorKindTests"
    #expect(ErrorKind.text(of: Trouble.plain) == "\(here).Trouble.plain")
    #expect(ErrorKind.text(of: Trouble.named("secret")) == "\(here).Trouble.named")
    #expect(ErrorKind.text(of: Whole()) == "\(here).Whole")
    #expect(ErrorKind.text(of: CocoaError(.fileNoSuchFile)).hasSuffix(".CocoaError 4"))
  }

  @Test("Of a value that cannot be encoded its type is told and its place, but for the keys of dictionaries")
  func encoding() {
    func reason(_ path: [any CodingKey]) -> String {
      RecordingError.reason(
        ofEncoding: EncodingError.invalidValue(
          "secret", EncodingError.Context(codingPath: path, debugDescription: "secret")))
    }
    #expect(reason([]) == "a value of Swift.String has no JSON")
    #expect(
      reason([Key.customer, Name(stringValue: "secret"), Name(intValue: 3)])
        == "\"customer.[…].[3]\", a value of Swift.String, has no JSON")
    #expect(
      RecordingError.reason(ofEncoding: Whole()) == "MillraceRecordingTests.ErrorKindTests.Whole was thrown")
  }
}
