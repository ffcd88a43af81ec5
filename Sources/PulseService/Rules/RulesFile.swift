import Foundation
import MillraceFlags

/// A JSON file with a list of rules: `["cpu > 90 % for 30 s", "target down for 2 probes"]`.
struct RulesFile: RulesGateway, Equatable {
  let path: String
  /// The rules that stand before those of the file.
  var otherRules: [AlertRule] = []
  /// What rules about targets can be about.
  var endpoints: [Endpoint] = []

  /// The shape of the file, for error messages.
  private static let example = #"["cpu > 90 % for 30 s", "target down for 2 probes"]"#

  func rules() async throws -> [AlertRule] {
    try await blockingCall { try load() }
  }

  /// Reads the file, and gives all rules there are then; this may block.
  ///
  /// - Throws: `FlagError`, naming the file, what is wrong with it and the fix.
  func load() throws(FlagError) -> [AlertRule] {
    do throws(RulesFileError) {
      let rules = try Self.rules(at: path)
      for rule in rules {
        guard let problem = rule.missingTarget(among: endpoints) else { continue }
        throw RulesFileError("whose rule \(FlagError.quoted(rule.text)) \(problem)")
      }
      return otherRules + rules
    } catch {
      throw FlagError("--rules was given \(FlagError.quoted(path)), \(error).")
    }
  }

  /// Reads the rules of the file at `path`.
  ///
  /// - Throws: ``RulesFileError``, when the file cannot be read, is not such a list, or a rule in it is wrong.
  static func rules(at path: String) throws(RulesFileError) -> [AlertRule] {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      let reason =
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile: "does not exist"
        case .fileReadNoPermission: "you may not read"
        default: "cannot be read"
        }
      throw RulesFileError("which \(reason); name a file with rules such as \(example)")
    }
    return try rules(in: data)
  }

  /// Reads the rules of a file with these contents.
  static func rules(in data: Data) throws(RulesFileError) -> [AlertRule] {
    guard let texts = try? JSONDecoder().decode([String].self, from: data) else {
      throw RulesFileError("which is not a JSON list of texts; write for example \(example)")
    }
    var rules: [AlertRule] = []
    for (number, text) in texts.enumerated() {
      do throws(AlertRuleError) {
        rules.append(try AlertRule(text))
      } catch {
        throw RulesFileError("whose rule \(number + 1), \(FlagError.quoted(text)), \(error)")
      }
    }
    return rules
  }
}

/// What is wrong with a rules file, as the end of a sentence that names it.
struct RulesFileError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ problem: String) {
    description = problem
  }
}
