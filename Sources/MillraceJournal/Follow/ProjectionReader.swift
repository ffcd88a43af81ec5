import Millrace

/// Reads the partitions of a projection's source, and decides their events in its store.
struct ProjectionReader<I: Interactor, Source: Interactor>: Sendable
where
  I.Action: Codable, I.Mutation: Codable, I.State: Codable, Source.Action: Codable, Source.Mutation: Codable,
  Source.State: Codable
{
  let source: ProjectionSource<Source>
  let calls: JournalCalls
  let partitions: [JournalPartition]
  let progress: ProjectionProgress<I>
  let makeAction: @Sendable (ProjectionEvent<Source>) -> I.Action?

  /// Reads all partitions to their ends.
  func readAll() async throws(JournalError) {
    for partition in partitions { try await readOn(partition) }
  }

  /// Reads the partitions that have moved to their ends.
  func readOn() async throws(JournalError) {
    let ends = try await calls.positions(of: partitions, in: source.journal)
    for partition in partitions where ends[partition.number] ?? .start != progress.position(in: partition.number) {
      try await readOn(partition)
    }
  }

  private func readOn(_ partition: JournalPartition) async throws(JournalError) {
    var place = progress.place(in: partition.number)
    while true {
      let page = try await calls.read { [source, place] _, _ throws(JournalError) in
        try await source.journal.records(
          ofPartition: partition, after: JournalPosition(place.position), upTo: 1 << 20)
      }
      try check(page, of: partition, behind: place)
      var decided: [DecidedEvent] = []
      for item in page.items { try await decide(item, of: partition, &place, &decided) }
      try await check(decided, of: partition)
      let hasProgress = page.position.number > place.position || !page.items.isEmpty
      // Positions of records that were removed again have no items.
      if page.position.number > place.position { place.move(to: page.position.number, nil) }
      await progress.didRead(to: place, in: partition.number)
      if page.position >= page.last || !hasProgress { return }
    }
  }

  /// Checks that the journal has not lost the last record of which an event is decided, and has another one at its position.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/lost``.
  private func check(
    _ page: JournalPartitionPage, of partition: JournalPartition, behind place: ProjectionPlace
  ) throws(JournalError) {
    var (position, found) = (JournalPosition(place.position), page.previous)
    if place.part > 0 {
      position = position.next
      if position > page.last { throw .lost(partition, position: position, last: page.last) }
      found = nil
      if case .record(let record, _) = page.items.first, record.position == position { found = record.id }
    }
    guard let expected = place.record, let found, PlacedRecord(found) != expected else { return }
    throw .otherRecord(partition, at: position)
  }

  /// Waits until the decisions are durable, which may take as long as the journal of the projection is unavailable.
  ///
  /// - Throws: ``JournalError`` if one is not, or the task is cancelled.
  private func check(_ decided: [DecidedEvent], of partition: JournalPartition) async throws(JournalError) {
    if decided.isEmpty { return }
    let promise = Promise<JournalError?>()
    Task.detached {
      do throws(JournalError) {
        for event in decided { try await event.check(partition) }
        promise.fulfil(nil)
      } catch {
        promise.fulfil(error)
      }
    }
    let failure = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(.closed)
    }
    if let failure { throw failure }
  }

  /// Decides the events of an item, one after the other.
  private func decide(
    _ item: JournalPartitionItem, of partition: JournalPartition, _ place: inout ProjectionPlace,
    _ decided: inout [DecidedEvent]
  ) async throws(JournalError) {
    var end = place
    end.move(to: item.position.number, nil)
    switch item {
    case .record(let record, let key):
      end.move(to: item.position.number, record)
      if let last = place.covered[key.name] {
        if record.sequence.number >= last { end.covered[key.name] = nil }
        if record.sequence.number <= last { break }
      }
      let events = try source.commits(record, of: key)
      // The record of which a part was decided may have been removed since.
      let decidedCount = record.position == JournalPosition(place.position).next ? max(place.part, 0) : 0
      for (index, event) in events.enumerated().dropFirst(decidedCount) {
        var next = place
        next.move(to: max(item.position.number, 1) - 1, part: index + 1, record)
        try await decide(event, in: partition, then: index + 1 < events.count ? next : end, &decided)
      }
    case .missed(let key, let through, _):
      guard let (event, sequence) = try await source.snapshot(of: key, calls), sequence >= through else { break }
      end.covered[key.name] = sequence > through ? sequence.number : nil
      try await decide(event, in: partition, then: end, &decided)
    case .erased(let digest, _):
      end.covered = end.covered.filter { JournalKey($0.key, of: source.stores).digest != digest }
      try await decide(.erased(digest), in: partition, then: end, &decided)
    }
    place = end
  }

  private func decide(
    _ event: ProjectionEvent<Source>, in partition: JournalPartition, then place: ProjectionPlace,
    _ decided: inout [DecidedEvent]
  ) async throws(JournalError) {
    guard let action = makeAction(event) else { return }
    let sent = ProjectedAction(action: action, partition: partition.number, place: place)
    do {
      decided.append(DecidedEvent(place: place, receipt: try await progress.store.submit(sent)))
    } catch {
      throw (error as? StoreError)?.underlying as? JournalError ?? .closed
    }
  }
}

/// An event that was sent to the store of a projection, and the place behind it.
private struct DecidedEvent {
  let place: ProjectionPlace
  let receipt: Receipt

  /// Waits until the decision is durable.
  ///
  /// - Throws: ``JournalError`` if there is none.
  func check(_ partition: JournalPartition) async throws(JournalError) {
    switch await receipt.outcome {
    case .finished: return
    case .failed(let error as JournalError): throw error
    case .shutDown, .cancelled: throw .closed
    case let outcome:
      let position = JournalPosition(place.part == 0 ? place.position : place.position + 1)
      throw .rejected(position, of: partition, outcome)
    }
  }
}

/// The store of a projection, and the places to which events are decided, of which the store may not know yet.
final class ProjectionProgress<I: Interactor>: Sendable
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private struct Reading {
    var places: [Int: ProjectionPlace] = [:]
    /// Whether a task waits to store the places.
    var isMoving = false
    /// The number of callers that wait until a place is stored.
    var waiting = 0
  }

  let store: Store<ProjectedInteractor<I>>
  private let clock: any Clock<Duration>
  private let reading: Lock<Reading>

  init(_ store: Store<ProjectedInteractor<I>>, _ partitions: Int, _ clock: any Clock<Duration>) async {
    self.store = store
    self.clock = clock
    let positions = await store.state.positions
    reading = Lock(
      Reading(places: Dictionary(uniqueKeysWithValues: (0..<partitions).map { ($0, positions.place(in: $0)) })))
  }

  func position(in partition: Int) -> JournalPosition { JournalPosition(place(in: partition).position) }

  func place(in partition: Int) -> ProjectionPlace { reading.withLock { $0.places[partition] ?? ProjectionPlace() } }

  /// Notes a place whose events are decided, and has the store know it within a second.
  func didRead(to place: ProjectionPlace, in partition: Int) async {
    let isStored = await store.state.positions.place(in: partition) >= place
    let (movesNow, begins) = reading.withLock { reading in
      reading.places[partition] = place
      if isStored { return (false, false) }
      if reading.waiting > 0 { return (true, false) }
      defer { reading.isMoving = true }
      return (false, !reading.isMoving)
    }
    if movesNow { move() }
    guard begins else { return }
    Task.detached { [weak self, clock] in
      try? await clock.sleep(for: .seconds(1))
      self?.reading.withLock { $0.isMoving = false }
      self?.move()
    }
  }

  /// Stores the places.
  func move() {
    for (partition, place) in reading.withLock({ $0.places }) {
      store.send(ProjectedAction(action: nil, partition: partition, place: place))
    }
  }

  /// Waits until the store has places with these positions.
  func wait(for positions: [JournalPosition]) async throws {
    reading.withLock { $0.waiting += 1 }
    defer { reading.withLock { $0.waiting -= 1 } }
    move()
    _ = try await store.wait { state in
      positions.enumerated().allSatisfy { state.positions[$0.offset] >= $0.element }
    }
  }
}

extension JournalError {
  fileprivate static func rejected(
    _ position: JournalPosition, of partition: JournalPartition, _ outcome: Outcome
  ) -> JournalError {
    JournalError(
      .rejected,
      """
      A projection has not decided an event at position \(position) of \(partition): \(outcome). The events before it are decided; mend its \
      interactor, and open it again.
      """)
  }
}

extension JournalCalls {
  /// Reads the last positions of the partitions of many stores, which are all of their partitions.
  ///
  /// - Throws: ``JournalError``.
  func positions(
    of partitions: [JournalPartition], in journal: any PartitionedJournal
  ) async throws(JournalError) -> [Int: JournalPosition] {
    guard let stores = partitions.first?.stores else { return [:] }
    return try await read { _, _ throws(JournalError) in try await journal.positions(of: stores) }
  }
}
