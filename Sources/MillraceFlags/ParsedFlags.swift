/// The values a command line gave to the flags of a command.
///
/// Each value was checked while it was parsed, so that reading one does not throw. To ask for a flag that the command
/// did not declare, or as another kind than it declared, is a mistake in the command and traps.
public struct ParsedFlags: Sendable, Equatable {
  /// Whether `--help` was given; the other arguments were not looked at then, and every flag is absent.
  public internal(set) var asksForHelp = false
  private let kinds: [String: Flag.Kind]
  private var values: [String: [FlagValue]] = [:]
  private let declared: Operand?
  private var given: String?

  init(of flags: [Flag], operand: Operand?) {
    declared = operand
    kinds = Dictionary(uniqueKeysWithValues: flags.map { ($0.name, $0.kind) })
  }

  /// Whether the switch was given.
  public func isOn(_ name: String) -> Bool {
    check(name, is: "a switch") { $0 == .toggle }
    return values[name] != nil
  }

  /// The time given to the flag, or nil when the flag was not given.
  public func seconds(_ name: String) -> Duration? {
    check(name, is: "a number of seconds") { $0 == .seconds }
    guard case .seconds(let duration)? = values[name]?.first else { return nil }
    return duration
  }

  /// The whole number given to the flag, or nil when the flag was not given.
  public func integer(_ name: String) -> Int? {
    check(name, is: "a whole number") { if case .integer = $0 { true } else { false } }
    guard case .integer(let number)? = values[name]?.first else { return nil }
    return number
  }

  /// The text given to the flag, or nil when the flag was not given.
  public func text(_ name: String) -> String? {
    check(name, is: "a text that is given once") { $0 == .text(repeatable: false) }
    return texts(under: name).first
  }

  /// The texts given to the flag, in the order of the command line; empty when the flag was not given.
  public func texts(_ name: String) -> [String] {
    check(name, is: "a text that may be repeated") { $0 == .text(repeatable: true) }
    return texts(under: name)
  }

  /// The argument that is no flag; empty when help was asked for.
  public var operand: String {
    precondition(declared != nil, "The command reads an argument that is no flag, which it did not declare.")
    return given ?? ""
  }

  var hasOperand: Bool { given != nil }

  mutating func take(_ argument: String, as operand: Operand, of command: String) throws(FlagError) {
    guard !argument.isEmpty else {
      throw FlagError(
        "\(command) needs a \(operand.placeholder), but was given ''; write for example \(command) \(operand.example).")
    }
    guard given == nil else {
      throw FlagError(
        "\(command) takes one \(operand.placeholder), but was given \(FlagError.quoted(argument)) too; leave one of the two out."
      )
    }
    given = argument
  }

  /// Whether the flag was given at all, whatever its kind.
  public func wasGiven(_ name: String) -> Bool {
    check(name, is: "a flag") { _ in true }
    return values[name] != nil
  }

  mutating func add(_ value: FlagValue, to flag: Flag) {
    values[flag.name, default: []].append(value)
  }

  private func texts(under name: String) -> [String] {
    (values[name] ?? []).compactMap { value in
      guard case .text(let text) = value else { return nil }
      return text
    }
  }

  private func check(_ name: String, is kindName: String, _ fits: (Flag.Kind) -> Bool) {
    guard let kind = kinds[name] else {
      preconditionFailure("The command reads \(name), which it did not declare; add it to its list of flags.")
    }
    precondition(fits(kind), "The command reads \(name) as \(kindName), but declared it as another kind.")
  }
}
