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

    /// Makes an id.
    ///
    /// - Parameters:
    ///   - writer: A number that the writer draws at random when it opens the log.
    ///   - number: A number that differs for each batch of the writer.
    public init(writer: UInt64, number: UInt64) {
      self.writer = writer
      self.number = number
    }

    /// Both numbers, that of the writer in hexadecimal digits.
    public var description: String { "\(String(writer, radix: 16)).\(number)" }
  }

  /// The id.
  public let id: ID

  /// The entries in their order.
  ///
  /// A batch without entries stores nothing, and conflicts as any other.
  public let entries: [JournalEntry]

  /// Makes a batch.
  public init(id: ID, entries: [JournalEntry]) {
    self.id = id
    self.entries = entries
  }

  /// The size in bytes that ``Journal/largestBatch`` limits: 64 for each entry, and the payloads.
  public var byteCount: Int {
    entries.reduce(0) { $0 + 64 + $1.payload.count }
  }
}
