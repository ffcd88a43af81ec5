package import Foundation
import Millrace
import MillraceFlags
package import MillraceRecording

extension FileRecorder {
  /// Returns the recorder of a service that does not run without the recording that was asked for.
  ///
  /// Where the file cannot be written, it ends the process with a sentence on standard error and the exit code 73. Until the file is
  /// open, errors are in that sentence alone.
  ///
  /// - Parameters:
  ///   - path: the file; nil where no recording was asked for.
  ///   - command: the name of the service's command.
  ///   - report: receives the errors of the open recorder; by default a line on standard error.
  ///   - make: makes the recorder for a file and with what receives its errors.
  package static func openOrExit(
    _ path: String?, command: String,
    report: @escaping @Sendable (RecordingError) -> Void = { StandardError.writeLine($0.description) },
    _ make: (URL, @escaping @Sendable (RecordingError) -> Void) -> FileRecorder
  ) async -> FileRecorder? {
    guard let path else { return nil }
    let isOpen = Lock(false)
    let recorder = make(URL(filePath: path)) { error in
      if isOpen.withLock({ $0 }) { report(error) }
    }
    do throws(RecordingError) {
      try await recorder.waitUntilOpen()
    } catch {
      StandardError.writeLine("\(command) does not start without its recording. \(error)")
      exit(EX_CANTCREAT)
    }
    isOpen.withLock { $0 = true }
    return recorder
  }
}
