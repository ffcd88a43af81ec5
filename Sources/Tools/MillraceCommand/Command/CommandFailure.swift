import Foundation
import MillraceJournal
import MillraceRecording

/// The failure of a command: a sentence for standard error, and an exit code.
struct CommandFailure: Error, Equatable {
  let sentence: String
  let code: Int32

  init(_ sentence: String, code: Int32) {
    self.sentence = sentence
    self.code = code
  }

  /// The error of a recording or of a journal.
  init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as RecordingError: self.init(error)
    case let error as JournalError: self.init(error)
    default:
      let reason = RecordingError.reason(ofEncoding: error)
      self.init("The recording cannot be replayed: \(reason); let the state encode every value.", code: EX_SOFTWARE)
    }
  }

  private init(_ error: JournalError) {
    let code =
      switch error.code {
      case .cannotOpen: EX_NOINPUT
      case .unavailable, .inUse: EX_TEMPFAIL
      case .failed: EX_IOERR
      default: EX_DATAERR
      }
    self.init(error.description, code: code)
  }

  private init(_ error: RecordingError) {
    switch (error.code, error.line) {
    case (.unreadable, _): self.init(error.description, code: EX_NOINPUT)
    // The sentence of the library says which argument to pass; here it is a flag.
    case (.cutEnd, let line?) where line > 1:
      self.init(
        """
        Line \(line), the last one, is cut in the middle, by a crash or because it is still being written; add --accept-cut-end to \
        read what stands before it.
        """,
        code: EX_DATAERR)
    default: self.init(error.description, code: EX_DATAERR)
    }
  }
}
