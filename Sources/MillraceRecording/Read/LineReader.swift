import Foundation

/// Takes a file apart into lines, without holding more of it than one line and one chunk.
struct LineReader {
  /// A line without its line break.
  struct Line {
    let number: Int
    let bytes: Data

    /// False for a last line behind which the file ends.
    let isWhole: Bool
  }

  private let more: () throws -> Data?
  private var chunk = Data()
  private var number = 0

  /// Bytes that are read at once.
  static var chunkSize: Int { 1 << 18 }

  init(_ url: URL) throws {
    let handle = try FileHandle(forReadingFrom: url)
    self.init { try handle.read(upToCount: LineReader.chunkSize) }
  }

  init(_ data: Data) {
    var rest: Data? = data
    self.init {
      defer { rest = nil }
      return rest
    }
  }

  /// Reads what `more` gives, until that is nil or empty.
  init(_ more: @escaping () throws -> Data?) {
    self.more = more
  }

  /// The next line; nil at the end.
  mutating func next() throws -> Line? {
    var begun: Data?
    while true {
      if let end = chunk.firstLineBreak {
        let part = chunk[chunk.startIndex..<end]
        chunk = chunk[(end + 1)...]
        return line(begun, part, isWhole: true)
      }
      if !chunk.isEmpty {
        // Taken out while it grows, so that it is not copied each time.
        var grown = begun ?? Data()
        begun = nil
        grown.append(chunk)
        begun = grown
      }
      guard let next = try more(), !next.isEmpty else {
        chunk = Data()
        return begun.map { line(nil, $0, isWhole: false) }
      }
      chunk = next
    }
  }

  private mutating func line(_ begun: Data?, _ part: Data, isWhole: Bool) -> Line {
    number += 1
    return Line(number: number, bytes: begun.map { $0 + part } ?? part, isWhole: isWhole)
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
