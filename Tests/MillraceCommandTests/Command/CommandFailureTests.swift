import Foundation
import MillraceRecording
import Testing

@testable import MillraceCommand

@Suite("Command failure")
struct CommandFailureTests {
  struct Odd: Error {
    let secret = "1234"
  }

  @Test("An error of encoding a state ends with 70, and is told without the value")
  func unencodable() {
    let name = String(reflecting: Odd.self)
    #expect(
      CommandFailure(Odd())
        == CommandFailure(
          "The recording cannot be replayed: \(name) was thrown; let the state encode every value.", code: 70))
    let error = EncodingError.invalidValue(
      Double.infinity, EncodingError.Context(codingPath: [], debugDescription: "inf"))
    #expect(
      CommandFailure(error).sentence
        == "The recording cannot be replayed: a value of Swift.Double has no JSON; let the state encode every value.")
  }

  @Test("A failure that has its sentence keeps it")
  func own() {
    #expect(
      CommandFailure(CommandFailure("It is over.", code: 7) as any Error) == CommandFailure("It is over.", code: 7))
  }

  @Test("A header that is cut leaves nothing to accept, so that no flag is offered")
  func cutHeader() throws {
    let error = #expect(throws: RecordingError.self) {
      try Recording<UntypedService>.read(from: Data("{\"millraceReco".utf8))
    }
    let failure = CommandFailure(try #require(error))
    #expect(
      failure.sentence
        == "Line 1, the header, is cut in the middle, so there is nothing to replay; take another recording.")
    #expect(failure.code == 65)
  }
}
