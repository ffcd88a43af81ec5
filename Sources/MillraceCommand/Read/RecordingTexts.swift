/// How the values of a recording become texts, and how its mutations are reduced.
struct RecordingTexts<Action, Mutation, State> {
  /// How many characters of a value are shown.
  static var limit: Int { 200 }

  /// The type of an action, without what it carries.
  var name: (Action) -> String
  var action: (Action) -> String
  var mutation: (Mutation) -> String

  /// Applies a mutation; nil if that needs types that are not there.
  var reduce: ((inout State, Mutation) -> Void)?

  /// What is recorded of a state that mutations were reduced to.
  var redacted: (State) -> State

  /// What differs between two states, a line for each part.
  var difference: (State, State) -> [String]
}
