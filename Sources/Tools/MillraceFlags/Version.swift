/// The version of this package, which `--version` of each program prints behind the name of the program.
package enum Version {
  package static let text = "0.1.0-dev"

  /// The line that `--version` prints.
  static func line(of command: String) -> String { "\(command) \(text)" }
}
