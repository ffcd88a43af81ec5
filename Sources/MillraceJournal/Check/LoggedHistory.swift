/// The events of a store since a state, as the records of its log have them.
package struct LoggedHistory<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  /// An event.
  package enum Event: Sendable {
    /// An action was taken up.
    case action(Action)
    /// A mutation was committed.
    case mutation(Mutation)
    /// A step has a value, as the coder has encoded it: the one element of an array.
    case value(step: String, bytes: [UInt8])
    /// A step has failed with this text.
    case failure(step: String, text: String)
    /// A run has ended with an outcome of this name.
    case end(outcome: String)
  }

  /// An event with its place in the log.
  package struct Entry: Sendable {
    /// The event.
    package let event: Event
    /// The record that has it.
    package let record: JournalSequence
    /// The record of the take-up of its run; that of the event itself for an action that was decided without a run.
    package let run: JournalSequence
    /// The wall time of the record in milliseconds since 1970; nil for one of version 1 of the format.
    package let time: Int64?
  }

  /// The state before the first event.
  package let start: State
  /// The revision of that state.
  package let revision: Int
  /// The events, in their order.
  package private(set) var entries: [Entry] = []

  init(start: State, revision: Int) {
    self.start = start
    self.revision = revision
  }

  /// Adds an event.
  ///
  /// - Parameter run: The take-up of its run; nil for the record itself.
  mutating func add(_ event: Event, _ record: JournalRecord, _ run: UInt64? = nil) {
    entries.append(
      Entry(
        event: event, record: record.sequence, run: run.map { JournalSequence($0) } ?? record.sequence,
        time: record.time))
  }

  /// Adds a step that has a result; a sleep, and a wait that begins, have none.
  mutating func add(_ step: StepPayload, _ record: JournalRecord, _ run: UInt64) {
    if let value = step.value {
      add(.value(step: step.name, bytes: value.bytes), record, run)
    } else if let failure = step.failure {
      add(.failure(step: step.name, text: failure.text), record, run)
    }
  }
}
