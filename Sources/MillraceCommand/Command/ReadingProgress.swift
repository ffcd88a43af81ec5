/// Tells a terminal in one line how far a large file is read, in percent.
final class ReadingProgress {
  /// From here on reading takes so long that it is told, in bytes.
  static let large = 32 << 20

  private let path: String
  private let size: Int
  private let write: (String) -> Void
  private var shown: Int?

  /// Nil for a file that is read at once, or whose size is not known.
  init?(of file: RecordingFile, write: @escaping (String) -> Void) {
    guard let size = file.size, size >= Self.large else { return nil }
    path = file.path
    self.size = size
    self.write = write
  }

  /// The number of bytes read so far; more than the initial size if the file is still written to.
  func read(_ bytes: Int) {
    let percent = min(bytes, size) * 100 / size
    guard percent != shown else { return }
    shown = percent
    write("\r\(path), \(size >> 20) MiB: \(percent) %")
  }

  /// Takes the line away.
  func end() {
    guard shown != nil else { return }
    shown = nil
    write("\r\u{1B}[K")
  }
}
