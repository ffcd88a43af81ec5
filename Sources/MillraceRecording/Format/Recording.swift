public import Millrace
import MillraceEntries

/// The events of a store: its first state, actions, replies of gateways, commits, and a state now and then.
///
/// ```swift
/// let recording = try Recording<Shop>.read(from: url)
/// print(try recording.replay())
/// ```
///
/// It is taken by a ``FileRecorder`` or a ``RingRecorder``, and is a value: to be replayed, resimulated, or travelled in. One
/// that is too large for the memory is read entry by entry, with a ``RecordingReader``.
public struct Recording<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// Something that happened.
  public typealias Entry = RecordingEntry<I.Action, I.Mutation, I.State>

  /// The header, which says which store was recorded.
  public let header: RecordingHeader

  /// The state that it begins with.
  public let start: RecordedState<I.State>

  /// The entries after the first state, in order.
  public let entries: [Entry]

  /// The error of a file that was cut in its last line, if the cut was accepted; its sentence has the line.
  public let cut: RecordingError?

  /// Puts a recording together.
  ///
  /// - Parameters:
  ///   - header: the header.
  ///   - start: the state that it begins with.
  ///   - entries: the entries behind the state; commits are numbered without a break but for gaps.
  ///   - cut: the error of a cut last line.
  public init(
    header: RecordingHeader, start: RecordedState<I.State>, entries: [Entry], cut: RecordingError? = nil
  ) {
    self.header = header
    self.start = start
    self.entries = entries
    self.cut = cut
  }
}

/// The facts about a recording: the types of the store and the time of its start.
public struct RecordingHeader: Sendable, Hashable {
  /// The version of the format; this one writes ``currentVersion``, and reads that and older ones.
  public let version: Int

  /// Whether a ``Redaction`` has changed the recorded values.
  public let isRedacted: Bool

  /// The wall time at which the recording began, where `at` is 0, in milliseconds since 1970; nil before version 3.
  ///
  /// A file that continues an earlier one has the time of the first.
  public let began: Int64?

  let types: TypeNames

  /// The name of the type of the actions, with its module.
  ///
  /// A recording can be read with types of other names, as long as they decode the encoded values. Where they do not, or a replay
  /// leads to another state, the names say whether it is a recording of something else.
  public var action: String { types.action }

  /// The name of the type of the mutations, with its module; as ``action``.
  public var mutation: String { types.mutation }

  /// The name of the type of the state, with its module; as ``action``.
  public var state: String { types.state }

  /// The first line of a recording's file.
  static var beginning: String { "{\"millraceRecording\":" }

  /// The version of the format that is written: 3.
  ///
  /// Version 2 has no ``began``, no ``RecordedEnd/error`` and no ``RecordingEntry/step(_:)``. Version 1 has no
  /// ``RecordingEntry/rest(_:)`` either; a resimulation of such a recording draws the rests between attempts anew.
  public static var currentVersion: Int { 3 }

  /// The header of a recording of stores of `interactor`.
  ///
  /// - Parameter began: the wall time of the start, in milliseconds since 1970.
  package init<I: Interactor>(of interactor: I.Type, isRedacted: Bool, began: Int64? = nil) {
    self.init(
      version: RecordingHeader.currentVersion, types: TypeNames(of: interactor), isRedacted: isRedacted,
      began: began.map(WallTimeText.init)?.milliseconds)
  }

  init(version: Int, types: TypeNames, isRedacted: Bool, began: Int64?) {
    self.version = version
    self.types = types
    self.isRedacted = isRedacted
    self.began = began
  }
}

/// The names of the types whose values a recording has.
struct TypeNames: Sendable, Hashable, Decodable, CustomStringConvertible {
  let action, mutation, state: String

  private enum CodingKeys: String, CodingKey {
    case action = "actionType"
    case mutation = "mutationType"
    case state = "stateType"
  }

  init<I: Interactor>(of interactor: I.Type) {
    action = TypeNames.name(of: I.Action.self)
    mutation = TypeNames.name(of: I.Mutation.self)
    state = TypeNames.name(of: I.State.self)
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
