import Millrace

/// Which recorded replies are still to be given, and which calls wait for theirs.
struct CallTable<Waiter: Sendable>: Sendable {
  /// What a call and its recorded reply agree in.
  struct Key: Hashable, Sendable {
    /// The recorded run.
    let run: RunID?
    let name: String
    let request: String
  }

  /// The recorded calls in their order.
  private let calls: [RecordedCall]

  /// The indices of those that were not given, by their keys.
  private var open: [Key: [Int]] = [:]

  /// Who waits, in the order they came in.
  private var waiting: [Key: [(id: Int, waiter: Waiter)]] = [:]

  /// How many calls have come of each key, and which of its key each recorded call is.
  private var arrivals: [Key: Int] = [:]
  private let places: [Int]

  /// Those that wait for no reply, by their ids.
  private var withoutReply: [Int: Waiter] = [:]

  init(_ calls: [RecordedCall]) {
    self.calls = calls
    var places: [Int] = []
    for (index, call) in calls.enumerated() {
      places.append(open[Key(call), default: []].count)
      open[Key(call), default: []].append(index)
    }
    self.places = places
  }

  /// A call has come; false if there is no recorded reply for it.
  ///
  /// A run that was cut, or was open at the end, may have had calls that got no reply: they wait until they are cancelled.
  mutating func arrive(_ waiter: Waiter, id: Int, _ key: Key, mayHaveNoReply: Bool) -> Bool {
    if waiting[key, default: []].count < open[key, default: []].count {
      waiting[key, default: []].append((id, waiter))
      arrivals[key, default: 0] += 1
      return true
    }
    if mayHaveNoReply { withoutReply[id] = waiter }
    return mayHaveNoReply
  }

  /// The one that the recorded call of this index is for, taken out; nil if none has come.
  mutating func release(_ index: Int) -> Waiter? {
    let key = Key(calls[index])
    guard isOpen(index), let first = waiting[key]?.first else { return nil }
    waiting[key]?.removeFirst()
    close(index, key)
    return first.waiter
  }

  /// Takes out a call that was cancelled, and with it the recorded one that was to answer it.
  mutating func cancel(_ id: Int, _ key: Key) -> Waiter? {
    if let waiter = withoutReply.removeValue(forKey: id) { return waiter }
    guard let place = waiting[key]?.firstIndex(where: { $0.id == id }), let entry = waiting[key]?.remove(at: place)
    else {
      return nil
    }
    if let index = open[key]?.first { close(index, key) }
    return entry.waiter
  }

  /// Whether a recorded call has come again, answered or not.
  func hasArrived(_ index: Int) -> Bool { arrivals[Key(calls[index]), default: 0] > places[index] }

  /// Whether a run waits for the reply to any call.
  func isWaiting(_ run: RunID?) -> Bool { waiting.contains { $0.key.run == run && !$0.value.isEmpty } }

  /// Whether a recorded call was not made again yet.
  func isOpen(_ index: Int) -> Bool { open[Key(calls[index]), default: []].contains(index) }

  /// Takes out all that wait; those that come later are not expected.
  mutating func finish() -> [Waiter] {
    defer { (open, waiting, withoutReply) = ([:], [:], [:]) }
    return waiting.values.flatMap { $0.map(\.waiter) } + withoutReply.values
  }

  private mutating func close(_ index: Int, _ key: Key) {
    open[key]?.removeAll { $0 == index }
    if open[key]?.isEmpty == true { open[key] = nil }
    if waiting[key]?.isEmpty == true { waiting[key] = nil }
  }
}

extension CallTable.Key {
  init(_ call: RecordedCall) {
    self.init(run: call.run, name: call.name, request: call.request)
  }
}
