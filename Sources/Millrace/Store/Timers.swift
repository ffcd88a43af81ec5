/// Timers in a state: ids with the wall times at which each is due.
///
/// ```swift
/// struct State: Sendable, Codable {
///   var reminders = Timers<Reminder.ID>()
/// }
/// ```
///
/// The reducer sets and removes them; ``Feedback/timers(of:_:)`` sends an action for each that is due, which the reducer answers by removing
/// the id. As a part of the state they are stored with it, so a store that was restored has them again.
///
/// **Order.** The earliest time is due first; ids of one time in the order in which they were set.
///
/// **Cost.** Setting and removing take the time of a heap: the logarithm of the number of timers. The earliest is known.
///
/// Two values are equal if they have the same ids with the same times. A value is encoded as a list of ids with their times, in their
/// order; where an id stands twice, the later one is decoded.
public struct Timers<ID: Hashable & Codable & Sendable>: Sendable {
  @usableFromInline var heap = TimerHeap()
  /// The id of each slot of the heap; nil for one that is free.
  @usableFromInline var ids: [ID?] = []
  @usableFromInline var slots: [ID: TimerHeap.Slot] = [:]
  /// Another number after each change, and for each value that is made anew.
  @usableFromInline var version = TimerHeap.firstVersion()

  /// Creates a value without timers.
  public init() {}

  /// The number of timers.
  public var count: Int { heap.count }

  /// Whether there is no timer.
  public var isEmpty: Bool { heap.count == 0 }

  /// The earliest time in milliseconds since 1970; nil without a timer.
  public var earliest: Int64? { heap.earliest }

  /// The time of an id in milliseconds since 1970; nil if the id has no timer.
  @inlinable
  public func time(of id: ID) -> Int64? { slots[id].map { heap.time(of: $0) } }

  /// Sets the timer of an id, and replaces the one that the id has.
  ///
  /// - Parameters:
  ///   - id: the id that is due then.
  ///   - time: the wall time in milliseconds since 1970; a time that is over is due at once.
  @inlinable
  public mutating func set(_ id: ID, at time: Int64) {
    version &+= 1
    if let slot = slots[id] { return heap.move(slot, to: time) }
    let slot = heap.add(at: time)
    if slot == ids.count { ids.append(id) } else { ids[slot] = id }
    slots[id] = slot
  }

  /// Removes the timer of an id.
  ///
  /// - Returns: the time that it had; nil if the id had no timer.
  @inlinable
  @discardableResult
  public mutating func remove(_ id: ID) -> Int64? {
    guard let slot = slots.removeValue(forKey: id) else { return nil }
    version &+= 1
    ids[slot] = nil
    let time = heap.remove(slot)
    if heap.count == 0 { ids = [] }
    return time
  }

  /// The ids that are due by a wall time, in their order.
  ///
  /// - Parameter time: in milliseconds since 1970.
  public func due(by time: Int64) -> [ID] { heap.due(by: time).slots.compactMap { ids[$0] } }

  // MARK: For the feedback

  /// The timers that are due by a time, and the time of the first one that is not.
  struct Look: Sendable, Equatable {
    var due: [Timer] = []
    var next: Int64?
  }

  /// A timer by itself, as it is encoded.
  struct Timer: Sendable, Equatable, Codable {
    let id: ID
    let at: Int64
  }

  func look(by time: Int64) -> Look {
    let (due, next) = heap.due(by: time)
    return Look(due: due.compactMap(timer), next: next)
  }

  private func timer(at slot: TimerHeap.Slot) -> Timer? {
    ids[slot].map { Timer(id: $0, at: heap.time(of: slot)) }
  }

  /// All timers in their order.
  fileprivate var all: [Timer] { heap.order.compactMap(timer) }
}

extension Timers: Equatable {
  /// Whether both have the same ids with the same times.
  public static func == (left: Timers, right: Timers) -> Bool {
    left.count == right.count && left.slots.allSatisfy { left.heap.time(of: $1) == right.time(of: $0) }
  }
}

extension Timers: Codable {
  /// Decodes timers.
  ///
  /// - Throws: the error of the decoder.
  public init(from decoder: any Decoder) throws {
    for timer in try decoder.singleValueContainer().decode([Timer].self) { set(timer.id, at: timer.at) }
  }

  /// Encodes the timers in their order.
  ///
  /// - Throws: the error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(all)
  }
}

extension Timers: CustomReflectable {
  /// The ids with their times, as a dictionary is reflected.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: all.map { (key: $0.id, value: $0.at) }, displayStyle: .dictionary)
  }
}
