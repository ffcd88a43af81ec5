/// Items of a partition in their order, as one read returns them.
public struct JournalPartitionPage: Sendable {
  /// The items in the order of their positions.
  public let items: [JournalPartitionItem]

  /// The position to which the reader has read everything with this page.
  public let position: JournalPosition

  /// The last position of the partition when the page was read; a reader that has come to it has everything.
  public let last: JournalPosition

  /// The record at the position behind which the page begins, as it was when the page was read.
  ///
  /// It is nil if there is no record at the position any more, and always nil in a journal that does not say. A reader that has read another record at
  /// the position reads a journal that has lost it.
  public let previous: JournalRecord.ID?

  /// Creates a page that does not say which record is before it, as an engine does.
  public init(items: [JournalPartitionItem], position: JournalPosition, last: JournalPosition) {
    self.init(items: items, position: position, last: last, previous: nil)
  }

  /// Creates a page, as an engine does.
  public init(
    items: [JournalPartitionItem], position: JournalPosition, last: JournalPosition, previous: JournalRecord.ID?
  ) {
    self.items = items
    self.position = position
    self.last = last
    self.previous = previous
  }
}

/// Something that a reader of a partition has to know.
public enum JournalPartitionItem: Sendable, Hashable {
  /// A record of a key.
  case record(JournalRecord, of: JournalKey)
  /// Records of the key were removed that the reader has not read: the last one has this sequence and position. The key's snapshot covers them.
  case missed(JournalKey, through: JournalSequence, at: JournalPosition)
  /// A key with this hash was erased; it may have begun anew since, and then its new records follow.
  case erased(JournalKeyDigest, at: JournalPosition)

  /// The position in the partition; that of the last removed record for a key of which records were missed.
  public var position: JournalPosition {
    switch self {
    case .record(let record, _): record.position ?? .start
    case .missed(_, _, let position), .erased(_, let position): position
    }
  }
}

extension JournalPartitionPage {
  /// The first items behind a position, until they have enough payload bytes or are enough.
  ///
  /// - Parameter bound: The position to which the items are complete; nil for the end of the partition.
  package init(
    _ items: [JournalPartitionItem], after position: JournalPosition, last: JournalPosition, upTo byteCount: Int,
    bound: JournalPosition? = nil, previous: JournalRecord.ID?
  ) {
    // A key that begins anew behind its erasure has removed its records up to that.
    let erasures = Set(items.compactMap { if case .erased(_, let position) = $0 { position } else { nil } })
    let items = items.filter { item in
      if case .missed(_, _, let position) = item { !erasures.contains(position) } else { true }
    }
    var (count, bytes) = (0, 0)
    for item in items {
      if count > 0 && bytes >= byteCount || count >= largestPage { break }
      if case .record(let record, _) = item { bytes += record.entry.payload.count }
      count += 1
    }
    let page = Array(items.prefix(count))
    self.init(
      items: page, position: count < items.count ? page.last?.position ?? position : bound ?? last, last: last,
      previous: previous)
  }
}
