public import Foundation
import MillraceEntries

/// The coder of a store's journal, its limits, and the times of its snapshots.
public struct JournalOptions: Sendable {
  /// Encodes actions, mutations and states; JSON by default.
  public var coder: any JournalCoder = JSONJournalCoder()

  /// The number of bytes that may wait to be stored; 32 MiB by default, and at least twice ``Journal/largestBatch``.
  ///
  /// When half of them wait, the store takes no more actions until fewer do, and an action with larger mutations than there is room for is
  /// rejected as `Rejection.full`. A handler that returns a sequence is asked for its next mutation only below that half. A run that emits
  /// past three quarters ends as `Outcome.failed` with a ``JournalError`` and its closing; other runs continue. Ends and closings always have room.
  public var bufferedBytes = 1 << 25

  /// The time for which an unavailable journal is tried again before the store stops, on the store's clock; 30 seconds by default.
  ///
  /// It is also the longest time for which a shutdown waits, once all actions have ended, until everything is stored.
  public var deadline: Duration = .seconds(30)

  /// Called once for each outage that lasts longer than the deadline, after which the store waits for the journal all the same; nil if it stops then.
  package var didMissDeadline: (@Sendable (JournalError) -> Void)?

  /// The number of records after which the store takes a snapshot; 10,000 by default.
  ///
  /// Between two snapshots the log grows to at least four times the size of the first, so that a large state is not written all the time. Records of openings
  /// and a log with only marks leads to no snapshot.
  public var snapshotRecords = 10_000

  /// The number of times by which the log outgrows a snapshot before the next one is due.
  package var snapshotGrowth = 4

  /// The number of payload bytes after which the store takes a snapshot; 16 MiB by default.
  public var snapshotBytes = 1 << 24

  /// The number of bytes that the result of one step may have; 1 MiB by default.
  ///
  /// It is at most a quarter of ``Journal/largestBatch``. A larger result is stored as the failure `StepError.Code.tooLarge`, which the step throws each time. All results of a run have at most
  /// 16 times as many. They are part of each snapshot that is taken while the run is open.
  public var stepBytes = 1 << 20

  /// Whether a shutdown takes a last snapshot, if anything has changed since the newest one; false by default.
  ///
  /// The next opening is faster then, and the shutdown takes longer: a large state takes seconds to encode. The shutdown waits for the snapshot until
  /// ``deadline`` after all actions have ended, and then ends without it.
  public var snapshotAtShutdown = false

  /// Whether the records that a snapshot covers are removed from the log; true by default.
  public var truncatesLog = true

  /// The wall time for which records that a snapshot covers stay in the log for a ``Projection`` that is behind.
  ///
  /// Defaults to nil: one hour for stores of many keys, and zero for a single store, which no projection reads. A projection that is further behind gets the
  /// state of a snapshot in place of the commits. Records are removed with the first snapshot behind this time, so the log of a busy key is larger by what it
  /// has stored meanwhile, up to ``keptBytesForReaders``.
  public var keptForReaders: Duration? = nil

  /// The number of payload bytes of a key's log that stay for readers though a snapshot covers them, from 0; 16 MiB by default.
  ///
  /// The oldest records beyond it are removed before ``keptForReaders`` is over.
  public var keptBytesForReaders = 1 << 24

  /// The number of idempotency keys whose results are remembered, past which the oldest is forgotten; 100,000 by default.
  public var rememberedKeys = 100_000

  /// The wall time for which the result of an idempotency key is remembered; 24 hours by default.
  public var rememberedTime: Duration = .seconds(86_400)

  /// Creates the default options.
  public init() {}
}

/// Encodes the actions, mutations and outcomes that a store keeps in its journal.
///
/// A version of a program has to decode the values that the version before it has encoded. A coder finds the properties of a value by their names:
/// those that a type does not ask for are skipped, and optional ones may be missing.
public protocol JournalCoder: Sendable {
  /// Encodes a value; called with the store's lock, so it must not block.
  ///
  /// - Throws: The reason for which the value cannot be encoded. Nothing of its action is committed then.
  func encode(_ value: some Encodable) throws -> Data

  /// Decodes a value of this type.
  ///
  /// - Throws: The reason for which the bytes are none.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// Encodes as JSON with sorted keys, which people can read, and other programs too.
///
/// Numbers that are infinite or NaN are the texts `inf`, `-inf` and `nan`.
public struct JSONJournalCoder: JournalCoder {
  /// Creates a coder.
  public init() {}

  /// Encodes a value as JSON.
  ///
  /// - Throws: `EncodingError`.
  public func encode(_ value: some Encodable) throws -> Data { try JSON.encoder().encode(value) }

  /// Decodes a value from JSON.
  ///
  /// - Throws: `DecodingError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSON.decoder().decode(type, from: data)
  }
}
