public import Foundation
public import Millrace

/// The reduction of recorded mutations, and its comparison with recorded states.
@usableFromInline
struct ReplayFold<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  @usableFromInline typealias Entry = RecordingEntry<I.Action, I.Mutation, I.State>

  @usableFromInline var state: I.State

  /// The revision of that state; commits that were skipped come after it.
  @usableFromInline var revision: Int

  @usableFromInline var order: EntryOrder
  @usableFromInline var commits = 0

  /// The line of the entry that is looked at.
  @usableFromInline var line = 1

  private let redaction: Redaction<I>?
  private let header: RecordingHeader
  private var report: ReplayReport<I.State>
  private var lastSame: Int

  @usableFromInline
  init(
    _ header: RecordingHeader, _ start: RecordedState<I.State>,
    _ redaction: Redaction<I>?
  ) {
    state = start.state
    revision = start.revision
    order = EntryOrder(revision: start.revision)
    lastSame = start.revision
    report = ReplayReport(state: start.state, revision: start.revision)
    self.header = header
    self.redaction = redaction
  }

  /// Advances by an entry; false when the states differ.
  @inlinable
  mutating func take(_ entry: Entry) throws -> Bool {
    line += 1
    switch entry {
    case .commit(let commit):
      let last = order.revision
      switch order.commit(commit.revision) {
      case .follows:
        I.reduce(into: &state, mutation: commit.mutation)
        revision = commit.revision
        commits += 1
      case .restarts: skip()
      case .wrong: throw RecordingError.wrongOrder(line: line, "commits", commit.revision, after: last)
      }
    case .state(let recorded): return try compare(recorded)
    case .gap: order.gap()
    case .action, .call, .rest, .step, .end: break
    }
    return true
  }

  /// The result, at the end.
  @usableFromInline
  func end(cut: RecordingError?) -> ReplayReport<I.State> {
    var report = report
    (report.state, report.revision, report.commits) = (state, revision, commits)
    report.cut = cut
    return report
  }

  @usableFromInline
  mutating func skip() {
    report.skipped += 1
  }

  @usableFromInline
  mutating func compare(_ recorded: RecordedState<I.State>) throws -> Bool {
    let last = order.revision
    switch order.state(recorded.revision) {
    case .wrong:
      throw RecordingError.wrongOrder(line: line, "has the state of", recorded.revision, after: last)
    case .restarts: (state, revision) = (recorded.state, recorded.revision)
    case .follows:
      if recorded.revision != lastSame { report.comparisons += 1 }
      let current = redaction.map { $0.state(state) } ?? state
      if let difference = try EncodedDifference.lines(from: recorded.state, hash: recorded.hash, to: current) {
        report.divergence = ReplayDivergence(
          revision: recorded.revision, lastSame: lastSame, recorded: recorded.state, replayed: state,
          difference: difference, hint: hint)
        return false
      }
    }
    lastSame = recorded.revision
    return true
  }

  /// The reasons for which states may differ though the reducer is the same.
  private var hint: String {
    let types = TypeNames(of: I.self)
    let other =
      header.types == types
      ? ""
      : " The recording is of \(header.types), and was replayed with \(types): replay it with the types that it is of."
    let redacted =
      header.isRedacted && redaction == nil
      ? " The recording is redacted: if the reducer derives something from what was redacted, give the replay the same redaction."
      : ""
    return other + redacted
  }
}

extension Recording {
  /// Reduces all mutations again, and compares the states with the recorded ones, up to the first that differs.
  ///
  /// So a reducer that was changed is found out before it ships: replay a recording of production with it. Nothing but the
  /// reducer is called.
  ///
  /// - Parameter redaction: applied to each state before it is compared, if the recording was redacted with it.
  /// - Throws: ``RecordingError`` when commits are out of order; the error of the encoder.
  @inlinable
  public func replay(redaction: Redaction<I>? = nil) throws -> ReplayReport<I.State> {
    var fold = ReplayFold<I>(header, start, redaction)
    for entry in entries where try !fold.take(entry) { break }
    return fold.end(cut: cut)
  }

  /// Replays a file as ``replay(redaction:)`` does, with a flat memory however long it is.
  ///
  /// - Parameters:
  ///   - url: the file.
  ///   - redaction: applied to each state before it is compared, if the recording was redacted with it.
  ///   - acceptsCutEnd: whether a file that a crash has cut in its last line is replayed up to there; the report says so then.
  ///   - progress: called with the number of bytes of the file that were read so far, each 256 KiB and at the end.
  /// - Throws: ``RecordingError`` when the file cannot be read, is no recording of these types, or has a broken line; the error of the
  ///   encoder.
  @inlinable
  public static func replay(
    contentsOf url: URL, redaction: Redaction<I>? = nil, acceptsCutEnd: Bool = false,
    progress: @escaping (_ bytes: Int) -> Void = { _ in }
  ) throws -> ReplayReport<I.State> {
    var reader = try RecordingReader<I>(url, acceptsCutEnd: acceptsCutEnd, progress: progress)
    var fold = ReplayFold<I>(reader.header, reader.start, redaction)
    while let entry = try reader.next() {
      guard try fold.take(entry) else { break }
    }
    return fold.end(cut: reader.cut)
  }
}

extension RecordedState {
  /// The state of a line, once its hash was found to be made of what stands there.
  ///
  /// Where the line does not have the form in which it was written there is nothing to make the hash of; then the state continues
  /// without it, and a replay compares the states themselves.
  ///
  /// - Throws: ``RecordingError`` when the state of the line is another one.
  func proven(by line: LineReader.Line) throws(RecordingError) -> RecordedState {
    guard let hash else { return self }
    guard let json = line.bytes.state(behind: hash) else {
      return RecordedState(at: at, revision: revision, state: state)
    }
    guard StateHash(ofJSON: json) == hash else { throw .damagedState(line: line.number) }
    return self
  }
}

extension Data {
  /// The JSON of the state in a line that a recorder wrote: it stands behind its hash, and ends the line.
  fileprivate func state(behind hash: StateHash) -> Data? {
    let key = Data(",\"hash\":\"\(hash)\",\"state\":".utf8)
    guard last == UInt8(ascii: "}"), let key = range(of: key) else { return nil }
    return self[key.upperBound...].dropLast()
  }
}
