import Foundation

/// The file of thresholds that applies to a build.
enum ThresholdFile {
  /// The version of the compiler that built this program, without its patch.
  static var compiler: String {
    #if compiler(>=6.5)
      "6.5-or-newer"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// Returns `path`, or the file of `compiler` inside it if it is a folder; nil if the folder has no such file.
  static func chosen(_ path: String, compiler: String = compiler) -> String? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else { return path }
    let file = URL(filePath: path, directoryHint: .isDirectory).appending(path: "swift-\(compiler).txt").path
    return FileManager.default.fileExists(atPath: file) ? file : nil
  }
}
