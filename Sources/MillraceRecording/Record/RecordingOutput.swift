import Foundation
import Millrace

/// Writes batches of entries to a sink, and begins anew when that is large enough.
struct RecordingOutput<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Entry = RecordingEntry<I.Action, I.Mutation, I.State>

  /// Bytes that are gathered before they are written.
  private static var chunk: Int { 1 << 16 }

  private let writer: EntryWriter<I>
  private let sizes: EncodedSizes
  private let limit: Int
  private var sink: any RecordingSink

  /// The bytes of the header, and those behind it.
  private var header = 0
  private var size = 0
  private var gathered = Data()

  /// Whether the file of the sink was found to be moved or removed.
  private var isLost = false

  /// The number of entries left out since the last gap, and the time of the last one.
  private var leftOut = 0
  private var lastLeftOut: Int64 = 0

  /// The number of entries left out since the last call.
  private var uncounted = 0

  init(
    _ sink: any RecordingSink, redaction: Redaction<I>, began: Int64, limit: Int,
    sizes: EncodedSizes
  ) {
    writer = EntryWriter(redaction: redaction, began: began)
    self.sink = sink
    self.limit = max(1, limit)
    self.sizes = sizes
  }

  /// Whether the output continues in a new file with the next state.
  var wantsState: Bool { isLost || size >= bound }

  /// The number of bytes behind a header: at least its own size, so that a large state is not written again and again.
  private var bound: Int { max(limit, header) }

  /// Whether actions, calls, rests, steps and ends are left out, because no commit comes.
  private var isFull: Bool { size - bound >= bound / 8 }

  mutating func begin(_ start: RecordedState<I.State>) throws(RecordingError) {
    let line = try writer.header(start)
    sizes.note(line.count, of: .state)
    try sink.begin(line)
    (header, size, isLost) = (line.count, 0, false)
  }

  /// Looks whether the file of the sink was moved or removed, and begins anew with the next state if it has.
  ///
  /// - Returns: the error to report, once for each loss.
  mutating func noticeLoss() -> RecordingError? {
    guard !isLost, let loss = sink.loss else { return nil }
    isLost = true
    return loss
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

  /// The number of entries left out since the last call, because the file was full and no commit came.
  mutating func takeLeftOut() -> Int {
    defer { uncounted = 0 }
    return uncounted
  }

  /// Writes what is left to tell, without beginning anew, and closes.
  mutating func end(_ last: [Entry]) throws(RecordingError) {
    try tellLeftOut()
    for entry in last { try gather(entry) }
    try flush()
    close()
  }

  mutating func close() {
    sink.close()
  }

  private mutating func gather(_ entries: [Entry]) throws(RecordingError) {
    for entry in entries {
      guard case .state(let state) = entry else {
        try add(entry)
        continue
      }
      try tellLeftOut()
      try gather(entry)
      if !wantsState { continue }
      try flush()
      try begin(state)
    }
  }

  private mutating func add(_ entry: Entry) throws(RecordingError) {
    switch entry {
    case .action, .call, .rest, .step, .end:
      if isFull {
        (leftOut, uncounted, lastLeftOut) = (leftOut + 1, uncounted + 1, entry.at)
      } else {
        try gather(entry)
      }
    // Without the gap before it a commit would be out of order.
    case .gap, .commit, .state:
      try tellLeftOut()
      try gather(entry)
    }
  }

  private mutating func tellLeftOut() throws(RecordingError) {
    if leftOut == 0 { return }
    try gather(.gap(RecordedGap(at: lastLeftOut, missed: leftOut)))
    leftOut = 0
  }

  private mutating func gather(_ entry: Entry) throws(RecordingError) {
    let line = try writer.line(entry)
    if let kind = entry.sizeKind { sizes.note(line.count, of: kind) }
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

/// The destination of a recording's lines.
protocol RecordingSink: Sendable {
  /// Begins a recording with its first line, in place of an earlier one.
  mutating func begin(_ header: Data) throws(RecordingError)

  /// Adds whole lines.
  mutating func write(_ lines: Data) throws(RecordingError)

  /// Ends it.
  mutating func close()

  /// The error of a recording whose file was moved or removed; nil while the file is at its place.
  var loss: RecordingError? { get }
}

extension RecordingSink {
  var loss: RecordingError? { nil }
}
