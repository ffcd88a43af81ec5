/// One flag that a command takes.
///
/// A flag without a value is a *switch*. A flag with a value has a placeholder, the upper-case word that stands for the
/// value in the help text.
public struct Flag: Sendable, Equatable {
  /// The value that may follow the flag.
  enum Kind: Sendable, Equatable {
    /// Nothing: the flag is there or not.
    case toggle
    /// A number of seconds, from a nanosecond to a thousand million seconds.
    case seconds
    /// A whole number inside the range.
    case integer(ClosedRange<Int>)
    /// Any text that is not empty; `repeatable` when the flag may be given again.
    case text(repeatable: Bool)
  }

  /// The name as it is written on the command line, with its two hyphens: `--every`.
  public let name: String
  /// The word for the value in the help text, such as `SECONDS`; nil for a switch.
  public let placeholder: String?
  /// One line about the flag for the help text; its default is named there.
  public let help: String
  /// A value that is right, for error messages; empty for a switch.
  let example: String
  let kind: Kind

  /// Whether the flag may be given more than once.
  public var isRepeatable: Bool { kind == .text(repeatable: true) }

  private init(_ name: String, _ placeholder: String?, kind: Kind, example: String, help: String) {
    precondition(
      name.hasPrefix("--") && name.count > 2 && !name.contains("=") && !name.contains(" "),
      "The flag '\(name)' has to be declared with two hyphens and a name without '=' and blanks, such as --every.")
    self.name = name
    self.placeholder = placeholder
    self.kind = kind
    self.example = example
    self.help = help
  }

  /// Declares a flag without a value; read it with ``ParsedFlags/isOn(_:)``.
  public static func toggle(_ name: String, help: String) -> Flag {
    Flag(name, nil, kind: .toggle, example: "", help: help)
  }

  /// Declares a flag whose value is a number of seconds, a fraction too; read it with ``ParsedFlags/seconds(_:)``.
  ///
  /// Accepted are decimal numbers from 0.000000001 to 1000000000; the value is rounded to a whole nanosecond.
  public static func seconds(
    _ name: String, _ placeholder: String = "SECONDS", example: String = "0.5", help: String
  ) -> Flag {
    Flag(name, placeholder, kind: .seconds, example: example, help: help)
  }

  /// Declares a flag whose value is a whole number inside `range`; read it with ``ParsedFlags/integer(_:)``.
  ///
  /// `0 ... .max` takes every number that is not negative, the default every positive one.
  public static func integer(
    _ name: String, _ placeholder: String = "N", in range: ClosedRange<Int> = 1 ... .max, example: String = "10",
    help: String
  ) -> Flag {
    Flag(name, placeholder, kind: .integer(range), example: example, help: help)
  }

  /// Declares a flag whose value is any text that is not empty; read it with ``ParsedFlags/text(_:)``.
  ///
  /// Without an `example`, error messages show the placeholder in its place.
  public static func text(_ name: String, _ placeholder: String, example: String? = nil, help: String) -> Flag {
    Flag(name, placeholder, kind: .text(repeatable: false), example: example ?? placeholder, help: help)
  }

  /// Declares a text flag that may be given any number of times; read it with ``ParsedFlags/texts(_:)``.
  ///
  /// Without an `example`, error messages show the placeholder in its place.
  public static func texts(_ name: String, _ placeholder: String, example: String? = nil, help: String) -> Flag {
    Flag(name, placeholder, kind: .text(repeatable: true), example: example ?? placeholder, help: help)
  }
}
