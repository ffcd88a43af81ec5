/// The events of a store: its first state, actions, replies of gateways, commits, and a state now and then.
///
/// ```swift
/// let recording = try Recording<Shop.Action, Shop.Mutation, Shop.State>.read(from: url)
/// print(try recording.replay(with: Shop.self))
/// ```
///
/// It is taken by a ``FileRecorder`` or a ``RingRecorder``, and is a value: to be replayed, resimulated, or travelled in. One
/// that is too large for the memory is read entry by entry, with a ``RecordingReader``.
public struct Recording<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: Sendable {
  /// Something that happened.
  public typealias Entry = RecordingEntry<Action, Mutation, State>

  /// The header, which says which store was recorded.
  public let header: RecordingHeader

  /// The state that it begins with.
  public let start: RecordedState<State>

  /// The entries after the first state, in order.
  public let entries: [Entry]

  /// The place at which a file was cut in its last line, if that was accepted; the sentence of the error says so.
  public let cut: RecordingError?

  /// Puts a recording together.
  ///
  /// - Parameters:
  ///   - header: what it is of.
  ///   - start: the state that it begins with.
  ///   - entries: what happened after that; commits are numbered without a break but for gaps.
  ///   - cut: where its file was cut.
  public init(
    header: RecordingHeader, start: RecordedState<State>, entries: [Entry], cut: RecordingError? = nil
  ) {
    self.header = header
    self.start = start
    self.entries = entries
    self.cut = cut
  }
}
