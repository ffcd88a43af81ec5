/// The values a command line gave to the flags of a command.
///
/// Each value was checked while it was parsed, so that reading one does not throw. To ask for a flag that the command
/// did not declare, or as another kind than it declared, is a mistake in the command and traps.
package struct ParsedFlags: Sendable {
  /// The text that `--help` or `--version` asks for, or nil; the other arguments were not looked at then, and every flag is absent.
  package internal(set) var help: String?
  private let kinds: [String: Flag.Kind]
  private var values: [String: [String]] = [:]
  /// The arguments that are no flags, in their order; without an optional one that was left out.
  package internal(set) var operands: [String] = []

  init(of flags: [Flag]) {
    kinds = Dictionary(uniqueKeysWithValues: flags.map { ($0.name, $0.kind) })
  }

  /// Whether the switch was given.
  package func isOn(_ name: String) -> Bool {
    !read(name) { $0 == .toggle }.isEmpty
  }

  /// The time given to the flag, or nil when the flag was not given.
  package func seconds(_ name: String) -> Duration? {
    read(name) { if case .seconds = $0 { true } else { false } }.first.flatMap(Flag.duration)
  }

  /// The whole number given to the flag, or nil when the flag was not given.
  package func integer(_ name: String) -> Int? {
    read(name) { if case .integer = $0 { true } else { false } }.first.flatMap { Int($0) }
  }

  /// The text given to the flag, or nil when the flag was not given.
  package func text(_ name: String) -> String? {
    read(name) { $0 == .text(repeatable: false) }.first
  }

  /// The texts given to the flag, in the order of the command line; empty when the flag was not given.
  package func texts(_ name: String) -> [String] {
    read(name) { $0 == .text(repeatable: true) }
  }

  /// Whether the flag was given at all, for a flag of any kind.
  package func wasGiven(_ name: String) -> Bool {
    !read(name) { _ in true }.isEmpty
  }

  /// The first argument that is no flag; empty when help was asked for or the command takes none.
  package var operand: String { operands.first ?? "" }

  mutating func add(_ value: String, to flag: Flag) {
    values[flag.name, default: []].append(value)
  }

  private func read(_ name: String, if fits: (Flag.Kind) -> Bool) -> [String] {
    guard let kind = kinds[name], fits(kind) else {
      preconditionFailure("The command reads \(name), which it did not declare, or declared as another kind of flag.")
    }
    return values[name] ?? []
  }
}
