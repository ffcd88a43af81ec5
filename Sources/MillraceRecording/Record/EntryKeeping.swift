/// The entries of a recorder, kept until they are written or until newer ones have come.
protocol EntryKeeping: Sendable {
  associatedtype Action: Codable & Sendable
  associatedtype Mutation: Codable & Sendable
  associatedtype State: Codable & Sendable

  /// The work to do once the lock is released.
  associatedtype After

  /// Whether the next commit is to bring its state, however few commits the last one is ago.
  var wantsState: Bool { get }

  /// Adds an entry behind a gap and before a state, if there are those; all of it, or nothing when there is no room.
  mutating func add(
    _ gap: RecordedGap?, _ entry: RecordingEntry<Action, Mutation, State>, _ state: RecordedState<State>?
  ) -> Bool

  /// The work that the calls so far have left.
  mutating func settle() -> After
}
