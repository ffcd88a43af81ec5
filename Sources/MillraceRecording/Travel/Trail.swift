import Millrace

/// The position of each revision in a recording.
struct Trail<I: Interactor>: Sendable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// A revision whose state can be known.
  struct Frame: Sendable {
    let revision: Int
    let at: Int64

    /// The index of the entry that is its commit; nil for the start.
    let commit: Int?

    /// The index of the entry that is its state; nil if only its mutation was recorded, and for the start.
    var state: Int?
  }

  let recording: Recording<I>

  /// The revisions in order, the start first.
  private(set) var frames: [Frame]

  init(_ recording: Recording<I>) throws(RecordingError) {
    self.recording = recording
    frames = [Frame(revision: recording.start.revision, at: recording.start.at, commit: nil)]
    var order = EntryOrder(revision: recording.start.revision)
    var lost: Int?
    for (index, entry) in recording.entries.enumerated() {
      let last = order.revision
      switch entry {
      case .commit(let commit):
        switch order.commit(commit.revision) {
        case .follows: frames.append(Frame(revision: commit.revision, at: commit.at, commit: index))
        case .restarts: lost = index
        case .wrong: throw .wrongOrder(line: index + 2, "commits", commit.revision, after: last)
        }
      case .state(let state):
        switch order.state(state.revision) {
        case .follows: frames[frames.count - 1].state = index
        case .restarts: frames.append(Frame(revision: state.revision, at: state.at, commit: lost, state: index))
        case .wrong: throw .wrongOrder(line: index + 2, "has the state of", state.revision, after: last)
        }
      case .gap: order.gap()
      case .action, .call, .rest, .step, .end: break
      }
    }
  }

  /// The index of the frame of a revision.
  ///
  /// - Throws: ``RecordingError`` when there is none.
  func index(of revision: Int) throws(RecordingError) -> Int {
    var (low, high) = (0, frames.count)
    while low < high {
      let middle = (low + high) / 2
      if frames[middle].revision < revision { low = middle + 1 } else { high = middle }
    }
    if low < frames.count, frames[low].revision == revision { return low }
    throw .notRecorded(
      revision, in: frames[0].revision...frames[frames.count - 1].revision,
      gap: low == 0 || low == frames.count ? nil : (frames[low - 1].revision, frames[low].revision))
  }

  /// Turns the state of one frame into that of another: from there on, or from the nearest recorded one before the other.
  func move(_ state: inout I.State, from index: Int, to target: Int) {
    var begin = target
    while begin > 0, begin != index, frames[begin].state == nil { begin -= 1 }
    if begin != index, let recorded = recorded(begin) { state = recorded }
    for frame in frames[begin..<target + 1].dropFirst() {
      if let commit = commit(of: frame) { I.reduce(into: &state, mutation: commit.mutation) }
    }
  }

  /// The commit of a frame; nil for the start.
  func commit(of frame: Frame) -> RecordedCommit<I.Mutation>? {
    guard let index = frame.commit, case .commit(let commit) = recording.entries[index] else { return nil }
    return commit
  }

  /// The state of a frame if it was recorded.
  private func recorded(_ index: Int) -> I.State? {
    if index == 0 { return recording.start.state }
    guard let entry = frames[index].state, case .state(let state) = recording.entries[entry] else { return nil }
    return state.state
  }
}

extension RecordingError {
  fileprivate static func notRecorded(_ revision: Int, in range: ClosedRange<Int>, gap: (Int, Int)?) -> RecordingError {
    if let gap {
      return RecordingError(
        .notRecorded,
        "Revision \(revision) is in a gap of the recording; the nearest ones to go to are \(gap.0) and \(gap.1).")
    }
    return RecordingError(
      .notRecorded,
      "Revision \(revision) is not in the recording; go to one of \(range.lowerBound) to \(range.upperBound).")
  }
}
