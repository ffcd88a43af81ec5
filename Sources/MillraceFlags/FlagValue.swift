/// A value that was read from the command line and fits the kind of its flag.
enum FlagValue: Sendable, Equatable {
  case on
  case seconds(Duration)
  case integer(Int)
  case text(String)

  /// Reads `text` as the value of `flag`, or throws the sentence that says what the flag needs.
  static func reading(_ text: String, for flag: Flag) throws(FlagError) -> FlagValue {
    switch flag.kind {
    case .toggle:
      throw FlagError("\(flag.name) takes no value, but was given \(FlagError.quoted(text)); write \(flag.name) alone.")
    case .seconds:
      return .seconds(try seconds(text, for: flag))
    case .integer(let range):
      guard let number = Int(text), range.contains(number) else {
        throw FlagError(flag: flag.name, needs: needs(range), given: text, example: flag.example)
      }
      return .integer(number)
    case .text:
      guard !text.isEmpty else {
        throw FlagError(flag: flag.name, needs: "a text that is not empty", given: text, example: flag.example)
      }
      return .text(text)
    }
  }

  /// The longest time a flag takes: about 31 years, far from where `Duration` overflows.
  private static let longest = 1_000_000_000.0

  private static func seconds(_ text: String, for flag: Flag) throws(FlagError) -> Duration {
    // `Double` also reads "nan", "infinity" and hexadecimal, which no user means by a number of seconds.
    let isDecimal = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "e"), UInt8(ascii: "E"): true
      default: false
      }
    }
    guard isDecimal, let number = Double(text), number > 0 else {
      throw FlagError(flag: flag.name, needs: "a number of seconds above 0", given: text, example: flag.example)
    }
    guard number <= longest else {
      throw FlagError(flag: flag.name, needs: "at most 1000000000 seconds", given: text, example: flag.example)
    }
    let nanoseconds = Int64((number * 1_000_000_000).rounded())
    guard nanoseconds > 0 else {
      throw FlagError(flag: flag.name, needs: "at least 0.000000001 seconds", given: text, example: flag.example)
    }
    return .nanoseconds(nanoseconds)
  }

  private static func needs(_ range: ClosedRange<Int>) -> String {
    switch (range.lowerBound, range.upperBound) {
    case (.min, .max): "a whole number"
    case (let lower, .max): "a whole number of at least \(lower)"
    case (let lower, let upper): "a whole number from \(lower) to \(upper)"
    }
  }
}
