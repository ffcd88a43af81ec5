import Foundation

/// Writes batches of entries to a sink, and begins anew when that is large enough.
struct RecordingOutput<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: Sendable {
  typealias Entry = RecordingEntry<Action, Mutation, State>

  /// Bytes that are gathered before they are written.
  private static var chunk: Int { 1 << 16 }

  private let writer: EntryWriter<Action, Mutation, State>
  private let limit: Int
  private var sink: any RecordingSink
  private var size = 0
  private var gathered = Data()

  /// How many entries were left out since the sink was full.
  private var leftOut = 0

  init(_ sink: any RecordingSink, redaction: Redaction<Action, Mutation, State>, limit: Int) {
    writer = EntryWriter(redaction: redaction)
    self.sink = sink
    self.limit = max(1, limit)
  }

  /// Whether it goes on in a new place with the next state.
  var wantsState: Bool { size >= limit }

  /// Whether actions, calls and ends are left out, because no commit comes.
  private var isFull: Bool { size - limit >= limit / 8 }

  mutating func begin(_ start: RecordedState<State>) throws(RecordingError) {
    let header = try writer.header(start)
    try sink.begin(header)
    size = header.count
  }

  mutating func write(_ entries: [Entry]) throws(RecordingError) {
    do throws(RecordingError) {
      try gather(entries)
    } catch {
      // What came before the entry that cannot be written is not lost with it.
      try? flush()
      throw error
    }
    try flush()
  }

  private mutating func gather(_ entries: [Entry]) throws(RecordingError) {
    for entry in entries {
      guard case .state(let state) = entry else {
        try add(entry)
        continue
      }
      if leftOut > 0 {
        try gather(.gap(RecordedGap(at: state.at, missed: leftOut)))
        leftOut = 0
      }
      try gather(entry)
      if !wantsState { continue }
      try flush()
      try begin(state)
    }
  }

  mutating func close() {
    sink.close()
  }

  private mutating func add(_ entry: Entry) throws(RecordingError) {
    switch entry {
    case .action, .call, .end:
      if isFull { leftOut += 1 } else { try gather(entry) }
    // Without the gap before it a commit would be out of order.
    case .gap, .commit, .state:
      try gather(entry)
    }
  }

  private mutating func gather(_ entry: Entry) throws(RecordingError) {
    let line = try writer.line(entry)
    gathered.append(line)
    size += line.count
    if gathered.count >= Self.chunk { try flush() }
  }

  private mutating func flush() throws(RecordingError) {
    if gathered.isEmpty { return }
    defer { gathered.removeAll(keepingCapacity: true) }
    try sink.write(gathered)
  }
}
