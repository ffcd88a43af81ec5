/// The facts about a recording: the types of the store and the time of its start.
public struct RecordingHeader: Sendable, Hashable {
  /// The version of the format; this one writes ``currentVersion``, and reads that and older ones.
  public let version: Int

  /// Whether a ``Redaction`` has changed what was recorded.
  public let isRedacted: Bool

  let types: TypeNames

  /// The name of the type of the actions, with its module.
  ///
  /// A recording can be read with types of other names, as long as they decode what was encoded. Where they do not, or a replay
  /// leads to another state, the names say whether it is a recording of something else.
  public var action: String { types.action }

  /// The name of the type of the mutations, with its module; as ``action``.
  public var mutation: String { types.mutation }

  /// The name of the type of the state, with its module; as ``action``.
  public var state: String { types.state }

  /// The first line of a recording's file.
  static var beginning: String { "{\"millraceRecording\":" }

  /// The version of the format that is written: 2.
  ///
  /// Version 1 has no ``RecordingEntry/rest(_:)``; a resimulation of such a recording draws the rests between attempts anew.
  public static var currentVersion: Int { 2 }

  package init<Action, Mutation, State>(of types: (Action.Type, Mutation.Type, State.Type), isRedacted: Bool) {
    self.init(version: RecordingHeader.currentVersion, types: TypeNames(of: types), isRedacted: isRedacted)
  }

  init(version: Int, types: TypeNames, isRedacted: Bool) {
    self.version = version
    self.types = types
    self.isRedacted = isRedacted
  }
}
