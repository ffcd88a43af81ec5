import Foundation

/// The file that a command is about; `-` is standard input.
struct RecordingFile {
  let path: String
  let acceptsCutEnd: Bool
  /// Told how many bytes were read so far.
  var progress: (Int) -> Void = { _ in }

  var url: URL { URL(filePath: path == "-" ? "/dev/stdin" : path) }

  /// Its size in bytes, as far as the system tells.
  var size: Int? {
    (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.intValue
  }
}
