import Millrace

/// The recorded replies that are still to be given, and the calls that wait for theirs.
struct CallTable<Waiter: Sendable>: Sendable {
  /// The key in which a call and its recorded reply agree.
  struct Key: Hashable, Sendable {
    /// The recorded run.
    let run: RunID?
    let name: String
    let request: String
  }

  /// The calls of one key.
  private struct Line: Sendable {
    let run: RunID?

    /// The numbers of the recorded calls in their order; those before the first one that may be open are not.
    var recorded: [Int] = []
    var firstOpen = 0
    var openCount = 0

    /// The number of calls so far.
    var arrivals = 0

    var waiting = WaitingLine<Waiter>()
  }

  private var lines: [Line] = []
  private var numbers: [Key: Int] = [:]

  /// For each recorded call: its line, which of its line it is, and whether it was not made again yet.
  private var calls: [(line: Int, place: Int, isOpen: Bool)] = []

  /// The calls that wait for no reply, by their ids.
  private var withoutReply: [Int: Waiter] = [:]

  /// Whether no call is expected any more.
  private var isOver = false

  init(_ calls: [RecordedCall]) {
    for (index, call) in calls.enumerated() {
      let key = Key(call)
      let number = numbers[key] ?? lines.count
      if number == lines.count {
        numbers[key] = number
        lines.append(Line(run: call.run))
      }
      self.calls.append((number, lines[number].openCount, true))
      lines[number].recorded.append(index)
      lines[number].openCount += 1
    }
  }

  /// A call has come; false if there is no recorded reply for it.
  ///
  /// A run that was cut, or was open at the end, may have had calls that got no reply: they wait until they are cancelled.
  mutating func arrive(_ waiter: Waiter, id: Int, _ key: Key, mayHaveNoReply: Bool) -> Bool {
    if isOver { return false }
    if let number = numbers[key], lines[number].waiting.count < lines[number].openCount {
      lines[number].waiting.append(waiter, id: id)
      lines[number].arrivals += 1
      return true
    }
    if mayHaveNoReply { withoutReply[id] = waiter }
    return mayHaveNoReply
  }

  /// The one that the recorded call of this index is for, taken out; nil if none has come.
  mutating func release(_ index: Int) -> Waiter? {
    guard isOpen(index), let first = lines[calls[index].line].waiting.popFirst() else { return nil }
    close(index)
    return first
  }

  /// Takes out a call that was cancelled, and with it the recorded one that was to answer it.
  mutating func cancel(_ id: Int, _ key: Key) -> Waiter? {
    if let waiter = withoutReply.removeValue(forKey: id) { return waiter }
    guard let number = numbers[key], let waiter = lines[number].waiting.remove(id) else { return nil }
    if let index = firstOpen(of: number) { close(index) }
    return waiter
  }

  /// Whether a recorded call has come again, answered or not.
  func hasArrived(_ index: Int) -> Bool { lines[calls[index].line].arrivals > calls[index].place }

  /// Whether a run waits for the reply to any call.
  func isWaiting(_ run: RunID?) -> Bool { lines.contains { $0.run == run && $0.waiting.count > 0 } }

  /// Whether a recorded call was not made again yet.
  func isOpen(_ index: Int) -> Bool { !isOver && calls[index].isOpen }

  /// Takes out all that wait; those that come later are not expected.
  mutating func finish() -> [Waiter] {
    isOver = true
    var waiters = Array(withoutReply.values)
    withoutReply = [:]
    for number in lines.indices {
      while let waiter = lines[number].waiting.popFirst() { waiters.append(waiter) }
    }
    return waiters
  }

  private mutating func firstOpen(of number: Int) -> Int? {
    while lines[number].firstOpen < lines[number].recorded.count {
      let index = lines[number].recorded[lines[number].firstOpen]
      if calls[index].isOpen { return index }
      lines[number].firstOpen += 1
    }
    return nil
  }

  private mutating func close(_ index: Int) {
    calls[index].isOpen = false
    lines[calls[index].line].openCount -= 1
  }
}

extension CallTable.Key {
  init(_ call: RecordedCall) {
    self.init(run: call.run, name: call.name, request: call.request)
  }
}
