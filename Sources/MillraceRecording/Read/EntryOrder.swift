/// The order in which commits and states can follow each other.
@usableFromInline
struct EntryOrder: Sendable {
  /// The verdict on a commit, or on a state.
  @usableFromInline
  enum Step: Sendable, Equatable {
    /// The entry follows the one before.
    case follows
    /// Commits before it are missing, and it cannot be replayed; or it is the state that comes after such ones.
    case restarts
    /// The entry is out of order.
    case wrong
  }

  /// The revision of the last commit.
  @usableFromInline private(set) var revision: Int

  /// Whether the next commit may have any later revision, because something is missing before it.
  private var mayJump = false

  /// Whether the state is not known, since commits are missing.
  @usableFromInline private(set) var isLost = false

  @usableFromInline
  init(revision: Int) {
    self.revision = revision
  }

  @usableFromInline
  mutating func commit(_ next: Int) -> Step {
    if next != revision &+ 1 {
      guard mayJump, next > revision else { return .wrong }
      isLost = true
    }
    mayJump = false
    revision = next
    return isLost ? .restarts : .follows
  }

  @usableFromInline
  mutating func state(_ next: Int) -> Step {
    guard next == revision else { return .wrong }
    defer { isLost = false }
    return isLost ? .restarts : .follows
  }

  @usableFromInline
  mutating func gap() {
    mayJump = true
  }
}

extension RecordingError {
  @usableFromInline
  static func wrongOrder(line: Int, _ what: String, _ revision: Int, after last: Int) -> RecordingError {
    RecordingError(
      .wrongOrder, line: line,
      """
      Line \(line) \(what) revision \(revision), but the last commit before it has revision \(last): lines are missing, or are \
      in another order; take the file as the recorder wrote it.
      """)
  }
}
