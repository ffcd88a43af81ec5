import Millrace
import MillraceRecording
import MillraceReport

/// Reads a recording as the events of a page.
struct EventReader<I: Interactor>: ~Copyable where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private var reader: RecordingReader<I>
  private let texts: RecordingTexts<I>

  /// The state so far; nil while it is not known, and once it is not asked for any more.
  private var state: I.State?
  private var revision: Int
  private var isAsked = true

  /// Opens a file and reads its first line.
  init(_ file: RecordingFile, _ texts: RecordingTexts<I>) throws {
    reader = try RecordingReader(file.url, acceptsCutEnd: file.acceptsCutEnd, progress: file.progress)
    self.texts = texts
    state = reader.start.state
    revision = reader.start.revision
  }

  /// The content of the first line.
  func facts(name: String) -> RecordingPage.Facts {
    let header = reader.header
    let lines: [(name: String, text: String?)] = [
      ("Format", "version \(header.version)"), ("Action", header.action), ("Mutation", header.mutation),
      ("State", header.state), ("Began", header.began.map { "\(WallTimeText($0))" }),
      ("Begins at", "revision \(reader.start.revision)"), ("Redacted", header.isRedacted ? "yes" : "no"),
    ]
    return RecordingPage.Facts(name: name, lines: lines.compactMap { line in line.text.map { (line.name, $0) } })
  }

  /// The sentence that says where the file is cut, once the reader has reached it.
  var cut: String? {
    reader.cut?.line.map { "Line \($0), the last one, is cut in the middle and left out." }
  }

  /// The next event; nil at the end.
  ///
  /// - Parameters:
  ///   - showsAction: whether the text of an action is asked for.
  ///   - showsCommit: whether the text of a commit and the difference of states is asked for; once it is not, it never is again.
  mutating func next(showsAction: Bool, showsCommit: Bool) throws -> RecordingEvent? {
    if !showsCommit { (isAsked, state) = (false, nil) }
    guard let entry = try reader.next() else { return nil }
    let at = Self.time(entry.at)
    switch entry {
    case .action(let action):
      return .action(
        at: at, run: action.run, parent: action.parent, isAccepted: action.isAccepted,
        name: texts.name(action.action), text: showsAction ? texts.action(action.action) : "")
    case .call(let call): return .call(at: at, took: Self.time(call.took), name: call.name)
    case .commit(let commit):
      let difference = difference(of: commit)
      revision = commit.revision
      return .commit(
        at: at, revision: commit.revision, run: commit.run, text: showsCommit ? texts.mutation(commit.mutation) : "",
        difference: difference)
    case .rest: return .rest(at: at)
    case .step(let step): return Self.event(of: step, at: at, isShown: showsCommit)
    case .end(let end):
      return .end(
        at: at, run: end.run, outcome: end.outcome,
        error: end.error.map { RecordingTexts<I>.shortened($0) })
    case .state(let recorded):
      let lines = state.map { texts.difference(texts.redacted($0), recorded.state) }
      if isAsked { state = recorded.state }
      // Where the mutations were reduced, only a state that is not what they lead to is worth a line.
      let isNews = texts.reduce == nil || lines?.isEmpty == false
      return .state(at: at, revision: recorded.revision, difference: isNews ? lines : nil)
    case .gap(let gap): return .gap(at: at, missed: min(max(gap.missed, 0), 1 << 32))
    }
  }

  private static func event(of step: RecordedStep, at: Int64, isShown: Bool) -> RecordingEvent {
    let (json, isFailure) =
      switch step.result {
      case .value(let json): (json, false)
      case .failure(let json): (json, true)
      case .leftOut: ("left out", false)
      }
    let text = isShown ? RecordingTexts<I>.shortened(json) : ""
    return .step(at: at, run: step.run, name: step.name, text: text, isFailure: isFailure)
  }

  private mutating func difference(of commit: RecordedCommit<I.Mutation>) -> [String]? {
    guard let reduce = texts.reduce, let before = state else { return nil }
    // Commits before it are missing, so that the state is not known before the next one that was recorded.
    guard commit.revision == revision + 1 else {
      state = nil
      return nil
    }
    var after = before
    reduce(&after, commit.mutation)
    state = after
    return texts.difference(before, after)
  }

  /// A time of a file as one that can be reckoned with, which is 36 years at most, and not negative.
  private static func time(_ nanoseconds: Int64) -> Int64 {
    min(max(nanoseconds, 0), 1 << 60)
  }
}
