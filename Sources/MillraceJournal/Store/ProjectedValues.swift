import Millrace

/// A mutation of the store of a projection.
enum ProjectedMutation<Mutation> {
  /// A mutation of its interactor.
  case mutation(Mutation)
  /// The projection has read a partition to this place.
  case moved(partition: Int, ProjectionPlace)

  func map<Other>(_ transform: (Mutation) throws -> Other) rethrows -> ProjectedMutation<Other> {
    switch self {
    case .mutation(let mutation): .mutation(try transform(mutation))
    case .moved(let partition, let place): .moved(partition: partition, place)
    }
  }
}

extension ProjectedMutation: Sendable where Mutation: Sendable {}

extension ProjectedMutation: Codable where Mutation: Codable {}

/// The state of the store of a projection.
struct ProjectedState<State: Sendable>: Sendable {
  /// The state of its interactor.
  var state: State
  var positions = ProjectionPositions()
}

extension ProjectedState: Codable where State: Codable {}

/// The positions to which a projection has read the partitions of the stores that it follows.
public struct ProjectionPositions: Sendable, Hashable, Codable {
  private var places: [Int: ProjectionPlace] = [:]

  /// The position of the last record of a partition of which all events are decided.
  public subscript(partition: Int) -> JournalPosition { JournalPosition(place(in: partition).position) }

  func place(in partition: Int) -> ProjectionPlace { places[partition] ?? ProjectionPlace() }

  mutating func move(_ partition: Int, to place: ProjectionPlace) { places[partition] = place }
}

/// A place between two events of a partition.
struct ProjectionPlace: Sendable, Hashable, Codable, Comparable {
  /// The last record of which all events are decided.
  var position: UInt64 = 0
  /// The number of events of the next record that are decided.
  var part = 0
  /// The keys of which a snapshot was an event that covers records behind this place, and the last of these records.
  var covered: [String: UInt64] = [:]
  /// The last record of which an event is decided: the next one if ``part`` is not 0, and else the one at the position.
  ///
  /// It is nil if the position has no record, and in what an earlier version of the library has stored.
  private(set) var record: PlacedRecord?

  /// Moves the place behind a record, or behind another item if `record` is nil.
  ///
  /// - Parameter part: the number of events that are decided of the record behind the position; 0 if `record` is at the position.
  mutating func move(to position: UInt64, part: Int = 0, _ record: JournalRecord?) {
    (self.position, self.part) = (position, part)
    self.record = record.map { PlacedRecord($0.id) }
  }

  static func < (left: ProjectionPlace, right: ProjectionPlace) -> Bool {
    (left.position, left.part) < (right.position, right.part)
  }
}

/// The name of a record, as the log of a projection stores it.
struct PlacedRecord: Sendable, Hashable, Codable {
  private let writer: UInt64
  private let batch: UInt64
  private let sequence: UInt64

  init(_ id: JournalRecord.ID) {
    (writer, batch, sequence) = (id.batch.writer, id.batch.number, id.sequence.number)
  }
}
