import Foundation
import Testing

@testable import MillraceRecording

@Suite("Line reader")
struct LineReaderTests {
  private func lines(_ chunks: [String]) throws -> [String] {
    var rest = chunks[...]
    var reader = LineReader { rest.popFirst().map { Data($0.utf8) } }
    var lines: [String] = []
    while let line = try reader.next() {
      lines.append("\(line.number) \(String(decoding: line.bytes, as: UTF8.self))\(line.isWhole ? "" : " …")")
    }
    #expect(try reader.next()?.number == nil)
    return lines
  }

  @Test(
    "Lines are the same wherever the chunks end",
    arguments: [
      ["a\nbcd\n\ne"], ["a", "\nbcd\n\ne"], ["a\n", "b", "c", "d", "\n", "\n", "e"], ["a\nbcd\n", "\n", "e"],
    ])
  func chunks(_ chunks: [String]) throws {
    #expect(try lines(chunks) == ["1 a", "2 bcd", "3 ", "4 e …"])
  }

  @Test("A file without a byte has no line, and one that ends with a line break has none behind it")
  func ends() throws {
    #expect(try lines([]) == [])
    #expect(try lines([""]) == [])
    #expect(try lines(["a\n"]) == ["1 a"])
  }

  @Test("The beginning is read again with the first line, also where it is longer than a chunk or than the file")
  func beginning() throws {
    for chunks in [["ab\ncd"], ["a", "b", "\n", "c", "d"]] {
      var rest = chunks[...]
      var reader = LineReader { rest.popFirst().map { Data($0.utf8) } }
      #expect(try reader.beginning(4) == Data("ab\nc".utf8))
      #expect(try reader.beginning(9) == Data("ab\ncd".utf8))
      #expect(try reader.next()?.bytes == Data("ab".utf8))
      #expect(try reader.next()?.bytes == Data("cd".utf8))
    }
  }

  @Test("A line that does not end is refused at the limit, and no more is read")
  func endless() throws {
    var chunks = 0
    var reader = LineReader(longest: 10) {
      chunks += 1
      return Data("abc".utf8)
    }
    let error = #expect(throws: RecordingError.self) { try reader.next() }
    #expect(
      error?.description
        == "Line 1 has more than 10 bytes, so its end is missing; take the file as the recorder wrote it.")
    #expect(chunks == 4)
  }
}
