import Foundation
import MillraceEntries
import Testing

@testable import MillraceRecording

@Suite("State hash")
struct StateHashTests {
  @Test("It is FNV-1a of 64 bits, with the values that its authors publish")
  func knownValues() {
    #expect(StateHash(ofJSON: Data()).description == "cbf29ce484222325")
    #expect(StateHash(ofJSON: Data("a".utf8)).description == "af63dc4c8601ec8c")
    #expect(StateHash(ofJSON: Data("foobar".utf8)).description == "85944171f73967e8")
  }

  @Test("A state has the hash it had in the process where this line was written, so it is the same in every process")
  func golden() throws {
    let state = Till.State(total: 7, articles: ["a/b", "ü"], customer: "Ada", isLooking: true)
    #expect(try JSON.text(of: state) == #"{"articles":["a/b","ü"],"customer":"Ada","isLooking":true,"total":7}"#)
    #expect(try StateHash(of: state).description == "b2888a224bfb0121")
    #expect(try StateHash(of: ["b": 1.5, "a": -.infinity, "c": 0.1]).description == "9b64abce059e644e")
  }

  @Test("It is read from 16 hexadecimal digits, and from nothing else")
  func text() throws {
    #expect(StateHash("00000000000000ff")?.value == 255)
    #expect(StateHash("00000000000000ff")?.description == "00000000000000ff")
    #expect(StateHash("ff") == nil)
    #expect(StateHash("000000000000000g") == nil)
  }
}
