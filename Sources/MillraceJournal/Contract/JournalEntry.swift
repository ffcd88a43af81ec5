import Foundation
import MillraceEntries

/// The content of a record, as a writer gives it to a journal.
///
/// A journal stores the payload unchanged and reads the kind alone; the writer encodes actions and mutations.
public struct JournalEntry: Sendable, Hashable {
  /// The kinds of entries; later versions may add some.
  public struct Kind: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The number that journals store.
    public let rawValue: UInt8

    /// Makes the kind of this number, which may be one of a later version.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// A writer has taken the log over; the payload is a ``JournalEpoch``.
    public static let epoch = Kind(rawValue: 1)
    /// An action was decided: its mutations and its idempotency key; its end is implied.
    public static let decided = Kind(rawValue: 2)
    /// An action was taken up and is handled: the action, its idempotency key and its recovery.
    public static let takeUp = Kind(rawValue: 3)
    /// A handler has emitted mutations.
    public static let emit = Kind(rawValue: 4)
    /// An action that was handled has ended: its outcome and its closing mutation.
    public static let end = Kind(rawValue: 5)
    /// A writer has confirmed that the log is still its own.
    public static let mark = Kind(rawValue: 6)

    /// The name of the kind, or its number.
    public var description: String {
      switch self {
      case .epoch: "epoch"
      case .decided: "decided"
      case .takeUp: "takeUp"
      case .emit: "emit"
      case .end: "end"
      case .mark: "mark"
      default: "kind \(rawValue)"
      }
    }
  }

  /// The kind.
  public let kind: Kind

  /// The version of the schema of the payload.
  public let schemaVersion: Int

  /// The revision of the state after the mutations of the entry; nil if it holds none.
  public let revision: Int?

  /// The bytes that the writer has encoded.
  public let payload: [UInt8]

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - payload: The encoded content.
  ///   - schemaVersion: The version of the payload's schema.
  ///   - revision: The revision after the mutations of the entry; nil if it holds none.
  public init(kind: Kind, payload: [UInt8], schemaVersion: Int = 1, revision: Int? = nil) {
    self.kind = kind
    self.payload = payload
    self.schemaVersion = schemaVersion
    self.revision = revision
  }

  /// Makes the entry by which a writer takes a log over.
  public static func epoch(_ epoch: JournalEpoch) -> JournalEntry {
    JournalEntry(kind: .epoch, payload: epoch.encoded)
  }
}
