/// The commits that a wait went past: the first ones, which a failure shows, and how many there were.
struct SkippedCommits<Commit> {
  private(set) var first: [Commit] = []
  private(set) var count = 0

  private let limit: Int

  /// - Parameter limit: how many are kept.
  init(keeping limit: Int) {
    self.limit = limit
  }

  mutating func add(_ commit: Commit) {
    count += 1
    if first.count < limit { first.append(commit) }
  }
}
