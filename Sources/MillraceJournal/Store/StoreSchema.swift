import Foundation
public import Millrace
import MillraceEntries

/// The version of the values that a store's journal has, and the ways from earlier versions.
///
/// A program that changes its mutations, its state or its actions so that the coder cannot decode the stored ones raises the version, and
/// keeps the earlier type:
///
/// ```swift
/// let schema = StoreSchema<Orders>(version: 2)
///   .upcasting(from: 1) { (old: OrdersV1.Mutation) in Orders.Mutation(old) }
///   .upcastingState(from: 1) { (old: OrdersV1.State) in Orders.State(old) }
///   .upcastingActions(from: 1) { (old: OrdersV1.Action) in Orders.Action(old) }
/// ```
///
/// Each mutation becomes exactly one, so that revisions keep their meaning. Of the actions only those of runs that are open when the log is
/// opened are decoded, without a step as they are. An open run whose action cannot be decoded does not stop the opening: it stays open in the
/// log, is reported as an incident, and is handled again, or abandoned, as its plan says, by a version that has the step.
public struct StoreSchema<I: Interactor>: Sendable
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// The version of the entries and snapshots that the store writes, from 1.
  public let version: Int

  private var mutations: [Int: any PayloadDecoding<I.Mutation>] = [:]
  private var states: [Int: any SnapshotDecoding<I.State>] = [:]
  private var actions: [Int: any ActionDecoding<I.Action>] = [:]
  /// Whether values of all versions are decoded as they are, for types that decode any value.
  var readsEveryVersion = false

  /// Creates the schema of a version that reads only this version.
  public init(version: Int = 1) {
    self.version = version
  }

  /// Reads the mutations of an earlier version, too.
  ///
  /// - Parameters:
  ///   - version: the earlier version.
  ///   - upcast: makes a mutation of this version of one of the earlier version. It is called on an unspecified thread, once for each
  ///     mutation at each opening, so it has no effects. An error stops the opening.
  public func upcasting<Old: Codable>(
    from version: Int, _ upcast: @escaping @Sendable (Old) throws -> I.Mutation
  ) -> StoreSchema {
    var schema = self
    schema.mutations[version] = Upcaster(upcast: upcast)
    return schema
  }

  /// Reads snapshots of an earlier version, too.
  ///
  /// It is needed where the log before the snapshot was removed; otherwise the whole log is read in place of such a snapshot.
  ///
  /// - Parameters:
  ///   - version: the earlier version.
  ///   - upcast: makes a state of this version of one of the earlier version.
  public func upcastingState<Old: Codable & Sendable>(
    from version: Int, _ upcast: @escaping @Sendable (Old) throws -> I.State
  ) -> StoreSchema {
    var schema = self
    schema.states[version] = StateUpcaster(upcast: upcast)
    return schema
  }

  /// Reads the actions of an earlier version, too: those of runs that are open when the log is opened.
  ///
  /// Where only the actions have changed, this step is enough: mutations and states of that version without a step are decoded as they are.
  ///
  /// - Parameters:
  ///   - version: the earlier version.
  ///   - upcast: makes an action of this version of one of the earlier version. It is called on an unspecified thread, at each opening, for
  ///     each run that is open, so it has no effects. After an error the run stays open in the log, and is not handled.
  public func upcastingActions<Old: Codable & Sendable>(
    from version: Int, _ upcast: @escaping @Sendable (Old) throws -> I.Action
  ) -> StoreSchema {
    var schema = self
    schema.actions[version] = ActionUpcaster(upcast: upcast)
    return schema
  }

  /// Decodes the payload of an entry, of a take-up without its action.
  ///
  /// - Throws: the reason, as the middle of a sentence.
  func payload<Head: Codable>(
    _ head: Head.Type, of entry: JournalEntry, _ coder: any JournalCoder
  ) throws(Unreadable) -> EntryPayload<Head, I.Mutation> {
    let step = try mutationStep(from: entry.schemaVersion)
    return try reading { try step.payload(head, coder, Data(entry.payload)) }
  }

  /// Decodes the action of a take-up.
  ///
  /// - Throws: the reason, as the middle of a sentence.
  func action(of run: LoggedRun, _ coder: any JournalCoder) throws(Unreadable) -> I.Action {
    let step = actionStep(from: run.schemaVersion)
    return try reading { try step.action(coder, Data(run.payload)) }
  }

  /// Decodes a snapshot.
  ///
  /// - Throws: the reason, as the middle of a sentence.
  func snapshot(_ snapshot: JournalSnapshot, _ coder: any JournalCoder) throws(Unreadable) -> SnapshotPayload<I.State> {
    // The store counts on from both numbers.
    guard 0...1 << 62 ~= snapshot.revision, snapshot.sequence.number <= 1 << 62 else {
      throw Unreadable(reason: "no store has its revision or its sequence")
    }
    if snapshot.isIncomplete {
      throw Unreadable(reason: "the key is a copy from another journal that has not ended, so repeat the copy")
    }
    let step = try stateStep(from: snapshot.schemaVersion)
    return try reading { try step.snapshot(coder, Data(snapshot.payload)) }
  }

  /// Decodes the open runs of a snapshot of an earlier version of the library.
  ///
  /// - Throws: the reason, as the middle of a sentence.
  func earlierRuns(
    in snapshot: JournalSnapshot, _ coder: any JournalCoder
  ) throws(Unreadable) -> [EarlierRun<StoredAction<I.Action>>] {
    let step = actionStep(from: snapshot.schemaVersion)
    return try reading { try step.earlierRuns(coder, Data(snapshot.payload)) }
  }

  /// Whether values of a version without a step are decoded as they are.
  private func isRead(_ found: Int) -> Bool {
    found == version || found < version && actions[found] != nil || readsEveryVersion
  }

  private func mutationStep(from found: Int) throws(Unreadable) -> any PayloadDecoding<I.Mutation> {
    if found != version, let step = mutations[found] { return step }
    guard isRead(found) else { throw missing(found, "upcasting(from: \(found))") }
    return Unchanged<I.Mutation>()
  }

  private func stateStep(from found: Int) throws(Unreadable) -> any SnapshotDecoding<I.State> {
    if found != version, let step = states[found] { return step }
    guard isRead(found) else { throw missing(found, "upcastingState(from: \(found))") }
    return StateUpcaster<I.State, I.State> { $0 }
  }

  private func actionStep(from found: Int) -> any ActionDecoding<I.Action> {
    (found == version ? nil : actions[found]) ?? ActionUpcaster<I.Action, I.Action> { $0 }
  }

  private func reading<Value>(_ decode: () throws -> Value) throws(Unreadable) -> Value {
    do {
      return try decode()
    } catch {
      throw Unreadable(reason: DecodingReason.text(of: error))
    }
  }

  private func missing(_ found: Int, _ fix: String) -> Unreadable {
    found > version
      ? Unreadable(reason: "it has the schema version \(found), and this program writes \(version)")
      : Unreadable(reason: "it has the schema version \(found), and the schema of version \(version) has no '\(fix)'")
  }

  /// The schema of a projection's store, whose mutations and state have those of this schema inside.
  func projected<Whole: Interactor>(for whole: Whole.Type) -> StoreSchema<Whole>
  where Whole.Mutation == ProjectedMutation<I.Mutation>, Whole.State == ProjectedState<I.State> {
    var schema = StoreSchema<Whole>(version: version)
    schema.mutations = mutations.mapValues { $0.projected }
    schema.states = states.mapValues { $0.projected }
    return schema
  }

  /// The reason for which stored bytes cannot be read.
  struct Unreadable: Error {
    let reason: String
  }
}

/// Decodes payloads whose mutations belong to one version.
private protocol PayloadDecoding<Mutation>: Sendable {
  associatedtype Mutation: Codable

  func payload<Head: Codable>(
    _ head: Head.Type, _ coder: any JournalCoder, _ data: Data
  ) throws -> EntryPayload<Head, Mutation>

  /// The same for the mutations of a projection's store.
  var projected: any PayloadDecoding<ProjectedMutation<Mutation>> { get }
}

private struct Unchanged<Mutation: Codable & Sendable>: PayloadDecoding {
  func payload<Head: Codable>(
    _ head: Head.Type, _ coder: any JournalCoder, _ data: Data
  ) throws -> EntryPayload<Head, Mutation> {
    try coder.decode(EntryPayload<Head, Mutation>.self, from: data)
  }

  var projected: any PayloadDecoding<ProjectedMutation<Mutation>> { Unchanged<ProjectedMutation<Mutation>>() }
}

private struct Upcaster<Old: Codable, Mutation: Codable>: PayloadDecoding {
  let upcast: @Sendable (Old) throws -> Mutation

  func payload<Head: Codable>(
    _ head: Head.Type, _ coder: any JournalCoder, _ data: Data
  ) throws -> EntryPayload<Head, Mutation> {
    let old = try coder.decode(EntryPayload<Head, Old>.self, from: data)
    return EntryPayload(head: old.head, mutations: try old.mutations.map(upcast))
  }

  var projected: any PayloadDecoding<ProjectedMutation<Mutation>> {
    Upcaster<ProjectedMutation<Old>, ProjectedMutation<Mutation>>(upcast: upcastInside)
  }

  private func upcastInside(_ old: ProjectedMutation<Old>) throws -> ProjectedMutation<Mutation> {
    try old.map(upcast)
  }
}

/// Decodes snapshots whose state belongs to one version.
private protocol SnapshotDecoding<State>: Sendable {
  associatedtype State: Codable & Sendable

  func snapshot(_ coder: any JournalCoder, _ data: Data) throws -> SnapshotPayload<State>

  /// The same for the state of a projection's store.
  var projected: any SnapshotDecoding<ProjectedState<State>> { get }
}

private struct StateUpcaster<Old: Codable & Sendable, State: Codable & Sendable>: SnapshotDecoding {
  let upcast: @Sendable (Old) throws -> State

  func snapshot(_ coder: any JournalCoder, _ data: Data) throws -> SnapshotPayload<State> {
    try coder.decode(SnapshotPayload<Old>.self, from: data).map(upcast)
  }

  var projected: any SnapshotDecoding<ProjectedState<State>> {
    StateUpcaster<ProjectedState<Old>, ProjectedState<State>> { [upcast] in
      ProjectedState(state: try upcast($0.state), positions: $0.positions)
    }
  }
}

/// Decodes actions that belong to one version.
private protocol ActionDecoding<Action>: Sendable {
  associatedtype Action: Codable & Sendable

  func action(_ coder: any JournalCoder, _ data: Data) throws -> Action

  func earlierRuns(_ coder: any JournalCoder, _ data: Data) throws -> [EarlierRun<StoredAction<Action>>]
}

private struct ActionUpcaster<Old: Codable & Sendable, Action: Codable & Sendable>: ActionDecoding {
  let upcast: @Sendable (Old) throws -> Action

  func action(_ coder: any JournalCoder, _ data: Data) throws -> Action {
    try upcast(try coder.decode(TakenUpAction<Old>.self, from: data).head.action)
  }

  func earlierRuns(_ coder: any JournalCoder, _ data: Data) throws -> [EarlierRun<StoredAction<Action>>] {
    try coder.decode(EarlierRuns<StoredAction<Old>>.self, from: data).runs.map { run in
      EarlierRun(
        sequence: run.sequence, takeUp: run.takeUp.with(run.takeUp.action.map(upcast)), resumed: run.resumed,
        steps: run.steps)
    }
  }
}
