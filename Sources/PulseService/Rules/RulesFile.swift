import Foundation
import MillraceFlags

/// A JSON file with a list of rules: `["cpu > 90 % for 30 s", "target down for 2 probes"]`.
struct RulesFile: RulesGateway, Equatable {
  let path: String
  /// The rules that stand before those of the file.
  var otherRules: [AlertRule] = []
  /// The subjects of rules about targets.
  var endpoints: [Endpoint] = []

  /// The shape of the file, for error messages.
  private static let example = #"["cpu > 90 % for 30 s", "target down for 2 probes"]"#

  /// The time for which a running service waits for a pipe's writer.
  private static let patience = PulseMonitor.Limits().rules

  func rules() async throws -> [AlertRule] {
    try await blockingCall { try load(within: Self.patience) }
  }

  /// Reads the file, and gives the other rules and those of the file; this may block.
  ///
  /// - Parameter limit: how long a pipe may take to be written; nil waits for as long as that takes.
  /// - Throws: `FlagError`, naming the file, what is wrong with it and the fix.
  func load(within limit: Duration? = nil) throws(FlagError) -> [AlertRule] {
    do throws(RulesFileError) {
      return otherRules + (try Self.rules(at: path, about: TargetNames(endpoints), within: limit))
    } catch {
      throw FlagError("--rules was given \(FlagError.quoted(path)), \(error).")
    }
  }

  /// Reads the rules of the file at `path`, which may be a pipe.
  ///
  /// - Throws: ``RulesFileError``, when the file cannot be read, is not such a list, or a rule in it is wrong.
  static func rules(
    at path: String, about targets: TargetNames, within limit: Duration? = nil
  ) throws(RulesFileError) -> [AlertRule] {
    let data: Data
    do throws(FileReader.Failure) {
      data = try FileReader(path: path, limit: limit).contents()
    } catch {
      throw RulesFileError("which \(error.reason); name a file with rules such as \(example)")
    }
    guard !data.isEmpty else {
      throw RulesFileError(
        "which is empty, as a pipe is that was read before; name a file with rules such as \(example)")
    }
    return try rules(in: data, about: targets)
  }

  /// Reads the rules of a file with these contents.
  static func rules(in data: Data, about targets: TargetNames) throws(RulesFileError) -> [AlertRule] {
    guard let texts = try? JSONDecoder().decode([String].self, from: data) else {
      throw RulesFileError("which is not a JSON list of texts; write for example \(example)")
    }
    var rules: [AlertRule] = []
    for (number, text) in texts.enumerated() {
      do throws(AlertRuleError) {
        rules.append(try AlertRule(text, about: targets))
      } catch {
        throw RulesFileError("whose rule \(number + 1), \(FlagError.quoted(text)), \(error)")
      }
    }
    return rules
  }
}

/// The problem of a rules file, as the end of a sentence that names the file.
struct RulesFileError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ problem: String) {
    description = problem
  }
}
