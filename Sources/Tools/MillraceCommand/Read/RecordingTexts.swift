import Millrace

/// Creates texts of the values of a recording, and reduces its mutations.
struct RecordingTexts<I: Interactor> {
  /// The number of characters that are shown of a value.
  static var limit: Int { 200 }

  /// The first characters of a text that is shown of a value, and an ellipsis where more are left out.
  static func shortened(_ text: String) -> String {
    text.count > limit ? text.prefix(limit) + "…" : text
  }

  /// The type of an action, without what it carries.
  var name: (I.Action) -> String
  var action: (I.Action) -> String
  var mutation: (I.Mutation) -> String

  /// Applies a mutation; nil if that needs types that are not there.
  var reduce: ((inout I.State, I.Mutation) -> Void)?

  /// The recorded form of a state that mutations were reduced to.
  var redacted: (I.State) -> I.State

  /// The difference between two states, a line for each part.
  var difference: (I.State, I.State) -> [String]
}
