/// A mistake in a command line, as one sentence that says the fix.
///
/// Commands throw it for the checks of their own too (a URL, a file), so that every mistake on a command line is
/// reported in one form and ends the command with the exit code 64.
package struct FlagError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The sentence, on one line and without a line break at its end.
  package let message: String

  /// Creates an error from a whole sentence, which names the flag, the value and the fix.
  package init(_ sentence: String) {
    message = sentence
  }

  /// Creates the usual sentence: what the flag needs, what it was given, and what to write instead.
  ///
  /// `FlagError(flag: "--every", needs: "a number of seconds above 0", given: "abc", example: "0.5")` reads "--every
  /// needs a number of seconds above 0, but was given 'abc'; write for example --every 0.5."
  package init(flag: String, needs: String, given: String, example: String) {
    message = "\(flag) needs \(needs), but was given \(Self.quoted(given)); write for example \(flag) \(example)."
  }

  /// Creates the sentence for a name that is none of those there are, with a guess which one was meant.
  init(unknown name: String, kind: String, of command: String, among names: [String]) {
    let hint = NearestName.of(name, among: names).map { "did you mean \($0)?" }
    message =
      "\(command) has no \(kind) \(Self.quoted(name)); \(hint ?? "see \(command) --help for those it has.")"
  }

  /// The sentence, so that printing the error prints it.
  package var description: String { message }

  /// The text between single quotes, as it may be shown to anybody on one line.
  ///
  /// URLs in it lose user, password, query and fragment. Characters that steer a terminal, break the line or turn the direction of
  /// writing are written as escapes. A text of more than 500 characters is cut, and ends in an ellipsis.
  package static func quoted(_ text: String) -> String {
    let shown = RedactedURL.text(text).unicodeScalars
    var quoted = "'"
    for scalar in shown.prefix(longest) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: quoted += scalar.escaped(asASCII: true)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + (shown.dropFirst(longest).isEmpty ? "'" : "…'")
  }

  /// The number of characters of a text that are quoted.
  private static let longest = 500
}
