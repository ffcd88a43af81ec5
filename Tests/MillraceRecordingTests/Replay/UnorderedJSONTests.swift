import Foundation
import Testing

@testable import MillraceRecording

@Suite("Unordered JSON")
struct UnorderedJSONTests {
  @Test(
    "The order of arrays does not count, and everything else does",
    arguments: [
      ("[1,2,[3,4]]", "[[4,3],2,1]", true), ("[1,2]", "[1,2,2]", false), (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, true),
      (#"{"a":1}"#, #"{"b":1}"#, false), (#""1""#, "1", false), ("true", "false", false), ("null", "0", false),
    ])
  func table(left: String, right: String, isSame: Bool) throws {
    let (one, other) = (try UnorderedJSON(Data(left.utf8)), try UnorderedJSON(Data(right.utf8)))
    #expect((one == other) == isSame)
  }
}
