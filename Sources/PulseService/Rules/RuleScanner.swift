import MillraceFlags

/// Walks over the text of a rule; blanks are skipped before each piece and not needed between pieces.
struct RuleScanner {
  private var rest: Substring

  init(_ text: String) {
    rest = text[...]
    skipBlanks()
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// The unread rest, in quotes.
  var quotedRest: String { FlagError.quoted(String(rest)) }

  /// Takes `token` when it is next; a word is taken only as a whole.
  mutating func skip(_ token: String) -> Bool {
    guard rest.hasPrefix(token) else { return false }
    let behind = rest.dropFirst(token.count)
    if token.last!.isLetter, let next = behind.first, next.isLetter { return false }
    rest = behind
    skipBlanks()
    return true
  }

  /// Takes a name or a URL: everything up to a blank, or, where there is no `://`, up to the first that is no letter.
  mutating func subject() -> String {
    let word = rest.prefix { !$0.isWhitespace }
    let subject = word.contains("://") ? word : word.prefix(while: \.isLetter)
    rest = rest.dropFirst(subject.count)
    skipBlanks()
    return String(subject)
  }

  /// Takes a decimal number that is not negative, if one is next.
  mutating func number() -> Double? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let number = Double(digits), number <= .largestNumber else { return nil }
    rest = rest.dropFirst(digits.count)
    skipBlanks()
    return number
  }

  private mutating func skipBlanks() {
    rest = rest.drop(while: \.isWhitespace)
  }
}
