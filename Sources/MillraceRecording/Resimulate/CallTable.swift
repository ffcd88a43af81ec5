import Millrace
import MillraceEntries

/// The recorded replies that are still to be given, and the calls that wait for theirs.
struct CallTable<Waiter: Sendable>: Sendable {
  /// The key in which a call and its recorded reply agree.
  struct Key: Hashable, Sendable {
    /// The recorded run.
    let run: RunID?
    let name: String
    let request: String
  }

  /// The calls of one key, in the order in which they began.
  ///
  /// The order of their replies is another one where a call that was given up returned after the next.
  private struct Line: Sendable {
    let run: RunID?

    /// The numbers of the recorded calls, in order.
    var recorded: [Int] = []

    /// The number of calls so far.
    var arrivals = 0

    /// The calls that wait, by their positions in the order.
    var waiting: [Int: Waiter] = [:]
  }

  private var lines: [Line] = []
  private var numbers: [Key: Int] = [:]

  /// For each recorded call: its line, its position in the order of its line, and whether it was not made again yet.
  private var calls: [(line: Int, position: Int, isOpen: Bool)]

  /// The positions of the calls that have come, by their ids.
  private var positions: [Int: Int] = [:]

  /// The calls that wait for no reply, by their ids.
  private var withoutReply: [Int: Waiter] = [:]

  /// Whether no call is expected any more.
  private var isOver = false

  init(_ calls: [RecordedCall]) {
    self.calls = Array(repeating: (0, 0, true), count: calls.count)
    let begins = calls.map { $0.at - $0.took }
    for index in calls.indices.sorted(by: { (begins[$0], $0) < (begins[$1], $1) }) {
      let key = Key(calls[index])
      let number = numbers[key] ?? lines.count
      if number == lines.count {
        numbers[key] = number
        lines.append(Line(run: key.run))
      }
      self.calls[index] = (number, lines[number].recorded.count, true)
      lines[number].recorded.append(index)
    }
  }

  /// A call has come; false if there is no recorded reply for it.
  ///
  /// A run that was cancelled, or was open at the end, may have had calls that got no reply: they wait until they are cancelled.
  mutating func arrive(_ waiter: Waiter, id: Int, _ key: Key, mayHaveNoReply: Bool) -> Bool {
    if isOver { return false }
    if let number = numbers[key], lines[number].arrivals < lines[number].recorded.count {
      let position = lines[number].arrivals
      lines[number].waiting[position] = waiter
      lines[number].arrivals += 1
      positions[id] = position
      return true
    }
    if mayHaveNoReply { withoutReply[id] = waiter }
    return mayHaveNoReply
  }

  /// The call that the recorded reply of this index is for, taken out; nil if it has not come.
  mutating func release(_ index: Int) -> Waiter? {
    guard isOpen(index) else { return nil }
    let (number, position, _) = calls[index]
    return takeOut(position, of: number)
  }

  /// Takes out a call that was cancelled, and with it the recorded one that was to answer it.
  mutating func cancel(_ id: Int, _ key: Key) -> Waiter? {
    if let waiter = withoutReply.removeValue(forKey: id) { return waiter }
    guard let number = numbers[key], let position = positions.removeValue(forKey: id) else { return nil }
    return takeOut(position, of: number)
  }

  private mutating func takeOut(_ position: Int, of number: Int) -> Waiter? {
    guard let waiter = lines[number].waiting.removeValue(forKey: position) else { return nil }
    calls[lines[number].recorded[position]].isOpen = false
    return waiter
  }

  /// Whether a recorded call of a key was not made again yet.
  func expects(_ key: Key) -> Bool {
    guard !isOver, let number = numbers[key] else { return false }
    return lines[number].arrivals < lines[number].recorded.count
  }

  /// Whether a recorded call has come again, answered or not.
  func hasArrived(_ index: Int) -> Bool { lines[calls[index].line].arrivals > calls[index].position }

  /// Whether a run waits for the reply to any call.
  func isWaiting(_ run: RunID?) -> Bool { lines.contains { $0.run == run && !$0.waiting.isEmpty } }

  /// Whether a recorded call was not made again yet.
  func isOpen(_ index: Int) -> Bool { !isOver && calls[index].isOpen }

  /// Takes out all that wait; those that come later are not expected.
  mutating func finish() -> [Waiter] {
    isOver = true
    var waiters = Array(withoutReply.values)
    withoutReply = [:]
    for number in lines.indices {
      waiters += lines[number].waiting.sorted { $0.key < $1.key }.map(\.value)
      lines[number].waiting = [:]
    }
    return waiters
  }
}

extension CallTable.Key {
  init(_ call: RecordedCall) {
    self.init(run: call.run, name: call.name, request: call.request)
  }
}

/// Answers calls with what was recorded.
struct AnsweringDeck<Action: Codable & Sendable, Mutation: Codable & Sendable>: TapeDeck {
  let board: ResimulationBoard<Action, Mutation>
  let redact: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable

  func call<Reply: Codable & Sendable, Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, _ failure: Failure.Type, _ body: () async throws -> Reply
  ) async throws -> Reply {
    let text = try JSON.text(of: redact(name, request))
    let live = RunContext.current?.run
    guard let reply = try await board.reply(to: name, text, of: live) else {
      if board.read({ $0.isOver }) { throw AnsweringDeck.tooLate(name) }
      throw board.fail(
        .unexpectedCall, live,
        "called \"\(name)\" with \(text), which it did not when it was recorded; the call has failed")
    }
    func unreadable(_ json: String, as type: String) -> RecordedFailure {
      board.fail(
        .unreadableReply, live,
        "got the recorded reply \(json) to \"\(name)\", which is no \(type); the call has failed")
    }
    switch reply {
    case .reply(let json):
      guard let value = try? JSON.value(Reply.self, from: json) else { throw unreadable(json, as: "\(Reply.self)") }
      return value
    case .failure(let json):
      guard let error = try? JSON.value(Failure.self, from: json) else { throw unreadable(json, as: "\(Failure.self)") }
      throw error
    case .cancelled, .ownCancellation: throw CancellationError()
    case .error(let text): throw RecordedFailure(text)
    }
  }

  private static func tooLate(_ name: String) -> RecordedFailure {
    RecordedFailure(
      "The call \"\(name)\" came when the resimulation had ended, and nothing is left to answer it; use its tape no longer than that."
    )
  }
}
