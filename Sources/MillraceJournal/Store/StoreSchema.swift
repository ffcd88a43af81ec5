import Foundation
public import Millrace
import MillraceEntries

/// The version of the mutations and the state that a store's journal has, and the ways from earlier versions.
///
/// A program that changes its mutations so that the coder cannot decode the stored ones raises the version, and keeps the earlier type:
///
/// ```swift
/// let schema = StoreSchema<Orders>(version: 2)
///   .upcasting(from: 1) { (old: OrdersV1.Mutation) in Orders.Mutation(old) }
///   .upcastingState(from: 1) { (old: OrdersV1.State) in Orders.State(old) }
/// ```
///
/// Each mutation becomes exactly one, so that revisions keep their meaning. Actions have no version: actions of runs that are open when the
/// log is opened have to be decoded as they are; actions of runs that have ended are not needed.
public struct StoreSchema<I: Interactor>: Sendable
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// The version of the entries and snapshots that the store writes, from 1.
  public let version: Int

  private var mutations: [Int: any PayloadDecoding<I.Mutation>] = [:]
  private var states: [Int: @Sendable (any JournalCoder, Data) throws -> Snapshot] = [:]

  typealias Snapshot = SnapshotPayload<StoredAction<I.Action>, I.State>

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
    schema.states[version] = { coder, data in
      try coder.decode(SnapshotPayload<StoredAction<I.Action>, Old>.self, from: data).map(upcast)
    }
    return schema
  }

  /// Decodes the payload of an entry.
  ///
  /// - Throws: the reason, as the middle of a sentence.
  func payload<Head: Codable>(
    _ head: Head.Type, of entry: JournalEntry, _ coder: any JournalCoder
  ) throws(Unreadable) -> EntryPayload<Head, I.Mutation> {
    let data = Data(entry.payload)
    do {
      if entry.schemaVersion == version { return try coder.decode(EntryPayload<Head, I.Mutation>.self, from: data) }
      if let upcaster = mutations[entry.schemaVersion] { return try upcaster.payload(head, coder, data) }
    } catch {
      throw Unreadable(reason: DecodingReason.text(of: error))
    }
    throw missing(entry.schemaVersion, "upcasting(from: \(entry.schemaVersion))")
  }

  /// Decodes a snapshot.
  ///
  /// - Throws: the reason, as the middle of a sentence.
  func snapshot(_ snapshot: JournalSnapshot, _ coder: any JournalCoder) throws(Unreadable) -> Snapshot {
    // The store counts on from both numbers.
    guard 0...1 << 62 ~= snapshot.revision, snapshot.sequence.number <= 1 << 62 else {
      throw Unreadable(reason: "no store has its revision or its sequence")
    }
    let data = Data(snapshot.payload)
    do {
      if snapshot.schemaVersion == version { return try coder.decode(Snapshot.self, from: data) }
      if let upcast = states[snapshot.schemaVersion] { return try upcast(coder, data) }
    } catch {
      throw Unreadable(reason: DecodingReason.text(of: error))
    }
    throw missing(snapshot.schemaVersion, "upcastingState(from: \(snapshot.schemaVersion))")
  }

  private func missing(_ found: Int, _ fix: String) -> Unreadable {
    found > version
      ? Unreadable(reason: "it has the schema version \(found), and this program writes \(version)")
      : Unreadable(reason: "it has the schema version \(found), and the schema of version \(version) has no '\(fix)'")
  }

  /// The reason for which stored bytes cannot be read.
  struct Unreadable: Error {
    let reason: String
  }
}

/// Decodes payloads whose mutations belong to an earlier schema.
private protocol PayloadDecoding<Mutation>: Sendable {
  associatedtype Mutation: Codable

  func payload<Head: Codable>(
    _ head: Head.Type, _ coder: any JournalCoder, _ data: Data
  ) throws -> EntryPayload<Head, Mutation>
}

private struct Upcaster<Old: Codable, Mutation: Codable>: PayloadDecoding {
  let upcast: @Sendable (Old) throws -> Mutation

  func payload<Head: Codable>(
    _ head: Head.Type, _ coder: any JournalCoder, _ data: Data
  ) throws -> EntryPayload<Head, Mutation> {
    let old = try coder.decode(EntryPayload<Head, Old>.self, from: data)
    return EntryPayload(head: old.head, mutations: try old.mutations.map(upcast))
  }
}
