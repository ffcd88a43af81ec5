import MillraceFlags

/// Shows on a terminal, in one line, the percentage of a large file that is read.
final class ReadingProgress {
  /// From here on reading takes so long that it is told, in bytes.
  static let large = 32 << 20

  private let path: String
  private let size: Int
  private let line: StatusLine
  private var shown: Int?

  /// Nil for a file that is read at once, or whose size is not known, and where no line can be written over.
  init?(of file: RecordingFile, line: StatusLine) {
    guard line.isLive, let size = file.size, size >= Self.large else { return nil }
    path = file.path
    self.size = size
    self.line = line
  }

  /// The number of bytes read so far; more than the initial size if the file is still written to.
  func read(_ bytes: Int) {
    let percent = min(bytes, size) * 100 / size
    guard percent != shown else { return }
    shown = percent
    line.show("\(percent) % of \(size >> 20) MiB of \(FlagError.quoted(path))")
  }

  /// Takes the line away.
  func end() {
    guard shown != nil else { return }
    shown = nil
    line.clear()
  }
}
