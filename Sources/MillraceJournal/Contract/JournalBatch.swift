import Millrace

/// Entries that are stored together or not at all.
///
/// The entries of one step of a store are one batch: a crash keeps all of them or none, and a reader gets them on one page.
public struct JournalBatch: Sendable, Identifiable {
  /// The name of a batch, which no other batch of its key has.
  ///
  /// After an append of which the journal cannot say whether it was stored, ``Journal/batch(_:of:after:)`` finds the batch by its id.
  public struct ID: Sendable, Hashable, CustomStringConvertible {
    /// A number that the writer draws when it opens the log.
    public let writer: UInt64

    /// The number of the batch, which no other batch of the writer has.
    public let number: UInt64

    /// Creates an id.
    ///
    /// - Parameters:
    ///   - writer: A number that the writer draws at random when it opens the log.
    ///   - number: A number that differs for each batch of the writer.
    public init(writer: UInt64, number: UInt64) {
      self.writer = writer
      self.number = number
    }

    /// Both numbers, the number of the writer in hexadecimal digits.
    public var description: String { "\(String(writer, radix: 16)).\(number)" }
  }

  /// The id.
  public let id: ID

  /// The entries in their order.
  ///
  /// A batch without entries stores nothing, and conflicts as any other.
  public let entries: [JournalEntry]

  /// The wall time in milliseconds since 1970, which each record of the batch keeps.
  public let time: Int64

  /// The change of the wake time of the key, which only a key of a partition has.
  ///
  /// It is stored with the entries, so a batch without entries changes nothing.
  public let wake: JournalWake

  /// Creates a batch.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - entries: The entries in their order.
  ///   - time: The wall time in milliseconds since 1970; that of the call if it is nil.
  ///   - wake: The change of the wake time of the key.
  public init(id: ID, entries: [JournalEntry], time: Int64? = nil, wake: JournalWake = .keep) {
    self.id = id
    self.entries = entries
    self.time = time ?? WallTime.now()
    self.wake = wake
  }

  /// The size in bytes that ``Journal/largestBatch`` limits: 64 for each entry, and the payloads.
  public var byteCount: Int {
    entries.reduce(0) { $0 + 64 + $1.payload.count }
  }
}

/// The content of a record, as a writer gives it to a journal.
///
/// A journal stores the payload unchanged and reads only the kind; the writer encodes actions and mutations.
public struct JournalEntry: Sendable, Hashable {
  /// The kinds of entries; later versions may add some.
  public struct Kind: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The number that journals store.
    public let rawValue: UInt8

    /// Creates the kind of this number, which may be one of a later version.
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
    /// A step of a handler has a result: its name, its value or its error, and the mutations that are committed with it.
    public static let step = Kind(rawValue: 7)
    /// A handler sleeps, or waits with a timeout: the name, and the wall time at which that is over.
    public static let rest = Kind(rawValue: 8)
    /// The number of deaths in a row that a run has if its process ends now: it is handled again, rests, or was left open.
    public static let resumed = Kind(rawValue: 9)
    /// An action with an idempotency key has joined the run of another one, or left it: the key, which the end of the run answers.
    public static let joined = Kind(rawValue: 10)

    /// Whether a program that does not know the kind skips its entries: all kinds from 128 on, whose entries hold no mutations.
    ///
    /// A program that finds another kind that it does not know does not open the log.
    public var maySkip: Bool { rawValue >= 128 }

    /// The name of the kind, or its number.
    public var description: String {
      switch self {
      case .epoch: "epoch"
      case .decided: "decided"
      case .takeUp: "takeUp"
      case .emit: "emit"
      case .end: "end"
      case .mark: "mark"
      case .step: "step"
      case .rest: "rest"
      case .resumed: "resumed"
      case .joined: "joined"
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

  /// Creates an entry.
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

  /// Creates the entry by which a writer takes a log over.
  public static func epoch(_ epoch: JournalEpoch) -> JournalEntry {
    JournalEntry(kind: .epoch, payload: epoch.encoded)
  }
}
