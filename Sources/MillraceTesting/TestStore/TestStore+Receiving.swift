public import Millrace

extension TestStore {
  /// Waits for the next mutation, and asserts that it is this one, and its changes.
  ///
  /// With ``TestStore/Exhaustivity/off`` it is the next one that equals this one; those before are skipped, as long as the timeout is
  /// not over, which is one for all of them. When the task is cancelled the wait ends, which fails the test.
  ///
  /// - Parameters:
  ///   - mutation: the expected mutation.
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  ///   - change: makes the expected state of the one before; nil when nothing changes.
  public func receive(
    _ mutation: I.Mutation, file: StaticString = #filePath, line: UInt = #line, change: ((inout I.State) -> Void)? = nil
  ) async where I.Mutation: Equatable {
    await receive(WantedMutation(mutation), at: TestLine(file, line), change: change)
  }

  /// Waits for the next mutation, and asserts that it meets a condition, and its changes.
  ///
  /// For mutations that are not `Equatable`, or of which the test knows only a part. It waits, times out and ends in a
  /// cancelled task as ``receive(_:file:line:change:)`` does.
  ///
  /// ```swift
  /// await store.receive("a failure") { $0.isFailure } change: { $0.isLoading = false }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name of the expected mutation in a failure.
  ///   - matches: whether a mutation is the one.
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  ///   - change: makes the expected state of the one before; nil when nothing changes.
  /// - Returns: the mutation; nil after a failure.
  @discardableResult
  public func receive(
    _ name: String, where matches: @escaping (I.Mutation) -> Bool, file: StaticString = #filePath, line: UInt = #line,
    change: ((inout I.State) -> Void)? = nil
  ) async -> I.Mutation? {
    await receive(WantedMutation(name, where: matches), at: TestLine(file, line), change: change)
  }

  @discardableResult
  private func receive(
    _ wanted: WantedMutation<I.Mutation>, at location: TestLine, change: ((inout I.State) -> Void)?
  ) async -> I.Mutation? {
    let deadline = deadline
    var skipped = TestStoreText<I>.noneSkipped
    while true {
      let before = state
      guard let commit = await next(wanted.name, until: deadline, skipped: skipped, at: location) else { return nil }
      if wanted.matches(commit.mutation) {
        check(
          change, after: TestStoreText<I>.name(commit.mutation), in: "receive", from: before, to: commit.state,
          at: location)
        return commit.mutation
      }
      if exhaustivity == .on {
        fail(TestStoreText<I>.other(commit, than: wanted), at: location)
        return nil
      }
      skipped.add(commit)
      // Others may come so fast that it never has to wait.
      if deadline.isOver {
        failLate(wanted.name, skipped: skipped, at: location)
        return nil
      }
    }
  }

  /// Takes the next commit, as soon as there is one; nil after a failure.
  private func next(
    _ wanted: String, until deadline: TestStoreDeadline, skipped: TestStoreText<I>.Skipped, at location: TestLine
  ) async -> TestStoreLog<I>.Content.Commit? {
    while true {
      let (commit, revision) = log.withContent { ($0.takeFirst(), $0.assertedRevision) }
      if let commit { return commit }
      switch await log.wait(for: .commit(after: revision), until: deadline) {
      case .fulfilled: continue
      case .quiet:
        // What was sent by then and left for another thread is accepted when the state can be read.
        _ = await store.snapshot
        guard log.withContent({ $0.isQuiet && $0.unasserted.isEmpty }) else { continue }
        fail(TestStoreText<I>.quiet(wanted, skipped: skipped), at: location)
      case .late:
        failLate(wanted, skipped: skipped, at: location)
      case nil:
        fail(TestStoreText<I>.cancelled(wanted, open: log.withContent { $0.open }, clock: clock), at: location)
      }
      return nil
    }
  }

  /// Fails the test for a wait that was too long.
  func failLate(
    _ wanted: String, skipped: TestStoreText<I>.Skipped = TestStoreText<I>.noneSkipped, at location: TestLine
  ) {
    let open = log.withContent { $0.open }
    fail(TestStoreText<I>.late(wanted, skipped: skipped, limit: timeout, open: open, clock: clock), at: location)
  }
}

/// The commits that a wait went past: the first ones, which a failure shows, and how many there were.
struct SkippedCommits<Commit> {
  private(set) var first: [Commit] = []
  private(set) var count = 0

  private let limit: Int

  /// - Parameter limit: the number that is kept.
  init(keeping limit: Int) {
    self.limit = limit
  }

  mutating func add(_ commit: Commit) {
    count += 1
    if first.count < limit { first.append(commit) }
  }
}

/// The mutation that a test waits for.
struct WantedMutation<Mutation> {
  /// The name of the mutation in failures.
  let name: String
  let matches: (Mutation) -> Bool
  /// The difference of a mutation of the same case that does not match; nil if they have nothing in common.
  let difference: (Mutation) -> ValueDifference?

  /// A mutation that the test describes.
  init(_ name: String, where matches: @escaping (Mutation) -> Bool) {
    self.name = name
    self.matches = matches
    difference = { _ in nil }
  }
}

extension WantedMutation where Mutation: Equatable {
  /// This one.
  init(_ mutation: Mutation) {
    name = ValueText.of(mutation, limit: 200)
    matches = { $0 == mutation }
    difference = { other in
      CaseName.of(other) == CaseName.of(mutation) ? ValueDifference(from: mutation, to: other) : nil
    }
  }
}
