import Foundation

/// Takes a file apart into lines, without holding more of it than one line and one chunk.
struct LineReader {
  /// A line without its line break.
  struct Line {
    let number: Int
    let bytes: Data

    /// False for a last line behind which the file ends.
    let isWhole: Bool

    /// Whether the line has nothing but blanks.
    var isBlank: Bool { bytes.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } }
  }

  private let more: () throws -> Data?
  private let longest: Int
  private var chunk = Data()
  private var number = 0

  /// Bytes that are read at once.
  static var chunkSize: Int { 1 << 18 }

  /// The most bytes of a line, 1 GiB; so a source without line breaks and without an end does not fill the memory.
  static var longestLine: Int { 1 << 30 }

  /// - Parameter progress: called with the number of bytes that were read so far, after each chunk.
  init(_ url: URL, progress: @escaping (Int) -> Void = { _ in }) throws {
    let handle = try FileHandle(forReadingFrom: url)
    var count = 0
    self.init {
      let chunk = try handle.read(upToCount: LineReader.chunkSize)
      count += chunk?.count ?? 0
      progress(count)
      return chunk
    }
  }

  init(_ data: Data) {
    var rest: Data? = data
    self.init {
      defer { rest = nil }
      return rest
    }
  }

  /// Reads the chunks of `more` until a chunk is nil or empty.
  ///
  /// - Parameter longest: the most bytes of a line.
  init(longest: Int = LineReader.longestLine, _ more: @escaping () throws -> Data?) {
    self.more = more
    self.longest = longest
  }

  /// Passes over the mark with which some programs begin a text in UTF-8; called before the first line.
  mutating func skipByteOrderMark() throws {
    let mark = Data([0xEF, 0xBB, 0xBF])
    if try beginning(mark.count) == mark { chunk = chunk.dropFirst(mark.count) }
  }

  /// The first unread bytes, up to `count`; they are read again.
  mutating func beginning(_ count: Int) throws -> Data {
    while chunk.count < count, let next = try more(), !next.isEmpty { chunk.append(next) }
    return chunk.prefix(count)
  }

  /// The next line; nil at the end.
  ///
  /// - Throws: `RecordingError` for a line that is too long; the error of the source.
  mutating func next() throws -> Line? {
    // Put together once, so that a line of many chunks is copied once.
    var parts: [Data] = []
    var count = 0
    while true {
      if let end = chunk.firstLineBreak {
        let part = chunk[chunk.startIndex..<end]
        try check(count + part.count)
        chunk = chunk[(end + 1)...]
        return line(parts, part, isWhole: true)
      }
      if !chunk.isEmpty { parts.append(chunk) }
      count += chunk.count
      try check(count)
      guard let next = try more(), !next.isEmpty else {
        chunk = Data()
        return parts.popLast().map { line(parts, $0, isWhole: false) }
      }
      chunk = next
    }
  }

  /// Throws if the next line has more bytes than a line may have.
  private func check(_ count: Int) throws(RecordingError) {
    if count > longest { throw RecordingError.longLine(number + 1, longest: longest) }
  }

  private mutating func line(_ parts: [Data], _ last: Data, isWhole: Bool) -> Line {
    number += 1
    if parts.isEmpty { return Line(number: number, bytes: last, isWhole: isWhole) }
    var bytes = Data(capacity: parts.reduce(last.count) { $0 + $1.count })
    for part in parts { bytes.append(part) }
    bytes.append(last)
    return Line(number: number, bytes: bytes, isWhole: isWhole)
  }
}

extension Data {
  /// The index of the first line break; looked for by the system, for it is what reading a long file costs.
  fileprivate var firstLineBreak: Index? {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base, 0x0A, bytes.count) else { return nil }
      return startIndex + (UnsafeRawPointer(found) - base)
    }
  }
}
