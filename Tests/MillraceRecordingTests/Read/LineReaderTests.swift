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

  @Test("The mark at the beginning of a text in UTF-8 is passed over once, wherever the chunks end", arguments: 1...4)
  func byteOrderMark(chunkSize: Int) throws {
    for text in ["\u{FEFF}ab\ncd", "\u{FEFF}\u{FEFF}ab", "ab", "", "\u{FEFF}"] {
      var rest = Data(text.utf8)
      var reader = LineReader {
        defer { rest = rest.dropFirst(chunkSize) }
        return Data(rest.prefix(chunkSize))
      }
      try reader.skipByteOrderMark()
      let isMarked = text.utf8.starts(with: "\u{FEFF}".utf8)
      let lines = Data(text.utf8.dropFirst(isMarked ? 3 : 0)).split(separator: 0x0A)
      #expect(try reader.next()?.bytes == lines.first)
      #expect(try reader.next()?.bytes == lines.dropFirst().first)
    }
  }

  @Test(
    "A line has at most as many bytes as the limit, wherever its chunks end", arguments: [1, 3, 4, 20], ["", "\n"])
  func limit(chunkSize: Int, end: String) throws {
    for count in 9...11 {
      let line = String(repeating: "x", count: count)
      var rest = Data((line + end).utf8)
      var reader = LineReader(longest: 10) {
        defer { rest = rest.dropFirst(chunkSize) }
        return Data(rest.prefix(chunkSize))
      }
      if count > 10 {
        #expect(throws: RecordingError.self) { try reader.next() }
      } else {
        #expect(try reader.next()?.bytes == Data(line.utf8))
        #expect(try reader.next() == nil)
      }
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
