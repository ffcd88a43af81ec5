/// One flag that a command takes.
///
/// A flag without a value is a *switch*. A flag with a value has a placeholder, the upper-case word that stands for the
/// value in the help text. Without an `example`, error messages show the placeholder in its place.
package struct Flag: Sendable {
  /// The value that may follow the flag.
  enum Kind: Sendable, Equatable {
    case toggle
    case seconds(canBeZero: Bool)
    case integer(ClosedRange<Int>)
    case text(repeatable: Bool)
  }

  package let name: String
  let placeholder: String?
  let kind: Kind
  let example: String
  let help: String

  /// Whether the flag may be given more than once.
  var isRepeatable: Bool { kind == .text(repeatable: true) }

  private init(_ name: String, _ placeholder: String?, _ kind: Kind, _ example: String?, _ help: String) {
    precondition(
      name.hasPrefix("--") && name.count > 2 && !name.contains("=") && !name.contains(" "),
      "The flag '\(name)' has to be declared with two hyphens and a name without '=' and blanks, such as --every.")
    (self.name, self.placeholder, self.kind, self.help) = (name, placeholder, kind, help)
    self.example = example ?? placeholder ?? ""
  }

  /// Declares a flag without a value; read it with ``ParsedFlags/isOn(_:)``.
  package static func toggle(_ name: String, help: String) -> Flag {
    Flag(name, nil, .toggle, nil, help)
  }

  /// Declares a flag whose value is a decimal number of seconds; read it with ``ParsedFlags/seconds(_:)``.
  ///
  /// - Parameter canBeZero: whether 0 is a value, which means that there is no such time.
  package static func seconds(
    _ name: String, _ placeholder: String = "SECONDS", canBeZero: Bool = false, example: String = "0.5", help: String
  ) -> Flag {
    Flag(name, placeholder, .seconds(canBeZero: canBeZero), example, help)
  }

  /// Declares a flag whose value is a whole number inside `range`; read it with ``ParsedFlags/integer(_:)``.
  package static func integer(
    _ name: String, _ placeholder: String = "N", in range: ClosedRange<Int> = 1 ... .max, example: String = "10",
    help: String
  ) -> Flag {
    Flag(name, placeholder, .integer(range), example, help)
  }

  /// Declares a flag whose value is any text that is not empty; read it with ``ParsedFlags/text(_:)``.
  package static func text(_ name: String, _ placeholder: String, example: String? = nil, help: String) -> Flag {
    Flag(name, placeholder, .text(repeatable: false), example, help)
  }

  /// Declares a text flag that may be given any number of times; read it with ``ParsedFlags/texts(_:)``.
  package static func texts(_ name: String, _ placeholder: String, example: String? = nil, help: String) -> Flag {
    Flag(name, placeholder, .text(repeatable: true), example, help)
  }

  /// Throws a sentence that says what the flag needs if the value does not fit.
  func check(_ value: String) throws(FlagError) {
    let needs: String? =
      switch kind {
      case .toggle:
        throw FlagError("\(name) takes no value, but was given \(FlagError.quoted(value)); write \(name) alone.")
      case .seconds(let canBeZero):
        switch Self.duration(value) {
        case nil,
          .zero? where !canBeZero:
          (canBeZero ? "0 or " : "") + "a number of seconds from 0.000000001 to 1000000000"
        default: nil
        }
      case .integer(let range):
        Int(value).map(range.contains) == true ? nil : Self.needs(range)
      case .text:
        value.isEmpty ? "a text that is not empty" : nil
      }
    if let needs { throw FlagError(flag: name, needs: needs, given: value, example: example) }
  }

  /// The time of a decimal number of seconds, rounded to a nanosecond.
  ///
  /// - Returns: nil above about 31 years, and for a number below a nanosecond that is not 0.
  static func duration(_ text: String) -> Duration? {
    // `Double` also reads "nan", "infinity" and hexadecimal, which no user means by a number of seconds.
    guard text.utf8.allSatisfy("0123456789.+-eE".utf8.contains), let seconds = Double(text) else { return nil }
    let nanoseconds = (seconds * 1_000_000_000).rounded()
    return seconds == 0 || (1...1e18).contains(nanoseconds) ? .nanoseconds(Int64(nanoseconds)) : nil
  }

  private static func needs(_ range: ClosedRange<Int>) -> String {
    range.upperBound == .max
      ? "a whole number of at least \(range.lowerBound)"
      : "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}
