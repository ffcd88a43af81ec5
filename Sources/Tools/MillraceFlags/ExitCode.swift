/// An exit code of a program, as its help text lists it.
package struct ExitCode: Sendable {
  let code: Int32
  let meaning: String

  /// - Parameter meaning: the reason for which the program ends with the code, without a full stop.
  package init(_ code: Int32, _ meaning: String) {
    (self.code, self.meaning) = (code, meaning)
  }

  /// The code of a command line that is wrong.
  package static let usage = ExitCode(64, "the command line is wrong")

  /// The code of a recording, or of another file that was asked for, that cannot be written.
  package static let notWritable = ExitCode(73, "a file that was asked for cannot be written")

  /// The code of a standard output that cannot be written to.
  package static let noOutput = ExitCode(74, "standard output cannot be written to")

  /// The section of a help text that lists these codes; empty without any.
  static func section(_ codes: [ExitCode]) -> [String] {
    codes.isEmpty ? [] : ["", "Exit codes:"] + Flags.table(codes.map { ("\($0.code)", $0.meaning) })
  }
}
