import Foundation

extension FlagError {
  /// Checks that a file can be written at a path, whose folder has to exist; a later failure is reported when it occurs.
  ///
  /// - Parameters:
  ///   - path: the path that the user gave.
  ///   - flag: the flag that it was given to.
  package static func checkOutputFile(_ path: String, of flag: String) throws(FlagError) {
    func isFolder(_ path: String) -> Bool {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
    let folder = URL(filePath: path).deletingLastPathComponent().path
    let problem: String
    if path == "-" {
      problem = "but it does not write to standard output; name a file"
    } else if isFolder(path) {
      problem = "which is a folder; name a file in it"
    } else if !isFolder(folder) {
      problem = "whose folder does not exist; make it, or name a file in another one"
    } else if !FileManager.default.isWritableFile(atPath: folder) {
      problem = "whose folder cannot be written to; name a file in another one"
    } else {
      return
    }
    throw FlagError("\(flag) was given \(quoted(path)), \(problem).")
  }
}
