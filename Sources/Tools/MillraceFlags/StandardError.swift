import Foundation

/// Standard error, for failures and progress.
package enum StandardError {
  /// Writes a text as it is, with what steers a terminal, on the caller's thread; where that fails no reader is left.
  @Sendable
  package static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Writes a text and the end of its line; characters of the text that steer a terminal are written as escapes.
  @Sendable
  package static func writeLine(_ text: String) {
    write(text.shownOnTerminal() + "\n")
  }
}

extension FlagError {
  /// Ends the process with the sentence on standard error and exit code 64; the C library writes what was printed.
  package func exit() -> Never {
    StandardError.writeLine(message)
    Foundation.exit(EX_USAGE)
  }

  static func exitIfThrown<Value>(_ body: () throws(FlagError) -> Value) -> Value {
    do throws(FlagError) { return try body() } catch { error.exit() }
  }
}

extension ParsedFlags {
  /// Prints the help text or the version and ends the process with exit code 0, if one of them was asked for.
  func exitIfHelp() {
    guard let help else { return }
    print(help)
    exit(EXIT_SUCCESS)
  }
}
