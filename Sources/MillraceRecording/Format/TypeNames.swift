import MillraceEntries

/// The names of the types whose values a recording has.
struct TypeNames: Sendable, Hashable, Decodable, CustomStringConvertible {
  let action, mutation, state: String

  private enum CodingKeys: String, CodingKey {
    case action = "actionType"
    case mutation = "mutationType"
    case state = "stateType"
  }

  init<Action, Mutation, State>(of types: (Action.Type, Mutation.Type, State.Type)) {
    action = TypeNames.name(of: types.0)
    mutation = TypeNames.name(of: types.1)
    state = TypeNames.name(of: types.2)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // They are shown to readers of a file, and stand in it as its author has written them.
    action = try container.decode(String.self, forKey: .action).shown()
    mutation = try container.decode(String.self, forKey: .mutation).shown()
    state = try container.decode(String.self, forKey: .state).shown()
  }

  /// The names, each shortened, because a file may have names of any length.
  var description: String {
    "(\([action, mutation, state].map { $0.shortened(to: 200) }.joined(separator: ", ")))"
  }

  /// The name of a type with its module, the same in every process: of a private one the runtime tells an address besides.
  static func name(of type: Any.Type) -> String {
    String(reflecting: type).replacing(#/\(unknown context at \$[0-9a-f]+\)\./#, with: "")
  }
}
