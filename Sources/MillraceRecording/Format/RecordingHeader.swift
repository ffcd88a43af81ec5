/// What a recording is of.
public struct RecordingHeader: Sendable, Hashable {
  /// The version of the format; this one writes ``currentVersion``, and reads that and older ones.
  public let version: Int

  /// The names of the types whose values were recorded, with their modules; for the reader of messages, not compared.
  public let action, mutation, state: String

  /// Whether a ``Redaction`` has changed what was recorded.
  public let isRedacted: Bool

  /// What a file of a recording begins with.
  static var beginning: String { "{\"millraceRecording\":" }

  /// The version of the format that is written: 1.
  public static var currentVersion: Int { 1 }

  package init<Action, Mutation, State>(of types: (Action.Type, Mutation.Type, State.Type), isRedacted: Bool) {
    version = RecordingHeader.currentVersion
    action = String(reflecting: types.0)
    mutation = String(reflecting: types.1)
    state = String(reflecting: types.2)
    self.isRedacted = isRedacted
  }

  init(version: Int, action: String, mutation: String, state: String, isRedacted: Bool) {
    self.version = version
    self.action = action
    self.mutation = mutation
    self.state = state
    self.isRedacted = isRedacted
  }
}
