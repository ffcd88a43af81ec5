import Millrace

/// One page of HTML about a recording, collected event by event in a bounded memory.
///
/// Counts, latencies and the timeline are of all events; of actions and of commits the first ones are shown, and a sentence says
/// how many are not.
package struct RecordingPage: Sendable {
  /// The sentences about the recording as a whole.
  package struct Facts: Sendable {
    /// The name of what was recorded, for the title.
    package var name: String
    /// The facts above all else, a name and a text each.
    package var lines: [(name: String, text: String)]
    /// Sentences about what the reader should know, such as that the file is cut.
    package var notes: [String]

    /// The facts of a recording.
    package init(name: String, lines: [(name: String, text: String)], notes: [String] = []) {
      self.name = name
      self.lines = lines
      self.notes = notes
    }
  }

  /// A line of the table of commits.
  enum Change: Sendable, Equatable {
    case commit(at: Int64, revision: Int, run: RunID, text: String, difference: [String]?)
    case state(at: Int64, revision: Int, difference: [String])
    case step(at: Int64, run: RunID, name: String, text: String, isFailure: Bool)
    case gap(at: Int64, missed: Int)
  }

  /// A run that has no outcome yet.
  private struct Open: Sendable {
    var start: Int64
    var name: String
  }

  /// Runs whose outcome is awaited; those beyond are counted, and get no latency.
  static let mostOpen = 1 << 16

  /// The bounds of the page.
  package var facts: Facts
  let limit: Int

  private(set) var summary = RecordingSummary()
  private(set) var bands = ActivityBands()
  private(set) var actionTimes = NamedTimes()
  private(set) var callTimes = NamedTimes()
  private(set) var tree = CausalityTree()
  private(set) var changes: [Change] = []
  private(set) var shownCommits = 0
  private(set) var untimed = 0
  private var open: [RunID: Open] = [:]
  /// Runs that were open at a gap, in which their outcomes may be missing.
  private var doubtful: [RunID: Open] = [:]

  /// A page of nothing yet.
  ///
  /// - Parameters:
  ///   - facts: the facts about the recording as a whole.
  ///   - rows: the number of actions that are shown, and of commits; between those as many gaps, steps and recorded states.
  package init(_ facts: Facts, rows: Int) {
    self.facts = facts
    limit = rows
  }

  /// Whether a commit that comes now is shown; the difference of any other need not be found.
  package var showsNextCommit: Bool { shownCommits < limit }

  /// Whether an action that comes now is shown; the text of any other need not be made.
  package var showsNextAction: Bool { tree.nodes.count < limit }

  /// The number of actions that are shown.
  var shownActions: Int { tree.nodes.count }

  /// The number of runs without an outcome at the end.
  var stillOpen: Int { open.count + doubtful.count }

  /// Adds what happened next.
  package mutating func take(_ event: RecordingEvent) {
    summary.take(event)
    switch event {
    case .action(let at, let run, let parent, let isAccepted, let name, let text):
      bands.addAction(at: at)
      if showsNextAction {
        tree.add(
          CausalityTree.Node(run: run, parent: parent, text: text, isAccepted: isAccepted, start: at))
      }
      if isAccepted { begin(run, Open(start: at, name: name)) }
    case .call(_, let took, let name): callTimes.record(took, for: name)
    case .rest: break
    case .commit(let at, let revision, let run, let text, let difference):
      bands.addCommit(at: at)
      guard showsNextCommit else { return }
      changes.append(.commit(at: at, revision: revision, run: run, text: text, difference: difference))
      shownCommits += 1
    case .step(let at, let run, let name, let text, let isFailure):
      addBetween(.step(at: at, run: run, name: name, text: text, isFailure: isFailure))
    case .end(let at, let run, let outcome, let error):
      tree.end(run, at: at, outcome, error: error)
      end(run, at: at)
    case .state(let at, let revision, let difference):
      if let difference { addBetween(.state(at: at, revision: revision, difference: difference)) }
    case .gap(let at, let missed):
      addBetween(.gap(at: at, missed: missed))
      doubtOpen(at: at)
    }
  }

  private mutating func begin(_ run: RunID, _ begun: Open) {
    guard open.count < Self.mostOpen else {
      untimed += 1
      return
    }
    open[run] = begun
    bands.setOpen(open.count, at: begun.start)
  }

  private mutating func end(_ run: RunID, at time: Int64) {
    if let ended = open.removeValue(forKey: run) {
      bands.setOpen(open.count, at: time)
      actionTimes.record(time - ended.start, for: ended.name)
    } else if let ended = doubtful.removeValue(forKey: run) {
      actionTimes.record(time - ended.start, for: ended.name)
    }
  }

  /// Counts the open runs as open no longer, for their outcomes may be among what is missing; one that comes is taken as it is.
  private mutating func doubtOpen(at time: Int64) {
    guard !open.isEmpty else { return }
    if open.count + doubtful.count > Self.mostOpen {
      untimed += doubtful.count
      doubtful = [:]
    }
    doubtful.merge(open) { _, new in new }
    open = [:]
    bands.setOpen(0, at: time)
  }

  /// Adds a line that is no commit, of which there may be as many as of commits.
  private mutating func addBetween(_ change: Change) {
    if showsNextCommit, changes.count - shownCommits < limit { changes.append(change) }
  }
}
