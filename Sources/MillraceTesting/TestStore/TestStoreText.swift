import Millrace

/// The words of a test store's failures.
struct TestStoreText<I: Interactor> where I.State: Equatable {
  typealias Content = TestStoreLog<I>.Content
  typealias Skipped = SkippedCommits<Content.Commit>

  /// The number of entries of a list that are shown.
  private static var limit: Int { 10 }

  /// Skipped events are kept as far as they are shown.
  static var noneSkipped: Skipped { Skipped(keeping: limit) }

  /// A value in one line.
  static func name(_ value: Any) -> String {
    ValueText.of(value, limit: 200)
  }

  // MARK: Changes

  /// The failure of a change that the test expects, or nil.
  ///
  /// - Parameters:
  ///   - subject: the cause of the change, such as `loaded(["a"])`.
  ///   - method: the method that was called, `send` or `receive`.
  ///   - expected: the state that the test expects; nil if it expects that nothing has changed.
  static func change(
    _ subject: String, in method: String, from before: I.State, expected: I.State?, actual: I.State
  ) -> String? {
    if (expected ?? before) == actual { return nil }
    guard let expected else {
      return """
        \(subject) changed the state, and the test does not say so:
        \(ValueDifference(from: before, to: actual))
        Give \(method) a closure that makes this change.
        """
    }
    if before == actual {
      return """
        \(subject) did not change the state, and the test expects that it does:
        \(ValueDifference(from: before, to: expected))
        \(method == "send"
          ? "What a handler commits is received, not part of send: move the change there, or change what decide commits."
          : "Remove the change from the test, or make it in reduce.")
        """
    }
    return """
      \(subject) led to another state than the test expects:
      \(ValueDifference(from: expected, to: actual))
      Expected is left of an arrow, the store's right. Change the closure of \(method), or what the interactor commits and reduces.
      """
  }

  // MARK: Mutations

  /// Mutations that were committed, a line for each.
  static func list(_ commits: [Content.Commit]) -> String {
    list(commits, of: commits.count)
  }

  /// The first entries of a list.
  private static func list(_ commits: [Content.Commit], of count: Int) -> String {
    list(commits.map { "\(name($0.mutation)), revision \($0.revision), of \(name($0.action))" }, of: count)
  }

  /// Mutations were not received when the test went on.
  static func unreceived(_ commits: [Content.Commit], before action: I.Action) -> String {
    """
    The test sent \(name(action)) before it received all that was committed:
    \(list(commits))
    Receive each of these before that send, or make the store with exhaustivity: .off.
    """
  }

  /// Mutations were not received at the end.
  static func unreceived(_ commits: [Content.Commit]) -> String {
    """
    The test did not receive all that was committed:
    \(list(commits))
    Receive each of these before finish, or make the store with exhaustivity: .off.
    """
  }

  /// Another mutation came than the test wanted.
  static func other(_ commit: Content.Commit, than wanted: WantedMutation<I.Mutation>) -> String {
    let came =
      "The next mutation is \(name(commit.mutation)), revision \(commit.revision), of \(name(commit.action)), not"
    let difference = wanted.difference(commit.mutation)
    if let difference, !difference.isEmpty {
      return """
        \(came) \(wanted.name):
        \(difference)
        Expected is left of an arrow, the store's right. Change the mutation in receive, or what the handler emits.
        """
    }
    return "\(came) \(wanted.name). Receive it before that one, or change what the interactor commits."
  }

  // MARK: Waiting

  /// Nothing can come any more.
  static func quiet(_ wanted: String, skipped: Skipped) -> String {
    """
    The test waits for \(wanted), but no action is open, so that nothing will be committed.\(skippedText(skipped))Send the \
    action that leads to it before, or remove this receive.
    """
  }

  /// The wait was too long.
  static func late(
    _ wanted: String, skipped: Skipped, limit: Duration, open: [Content.OpenAction], clock: TestClock?
  ) -> String {
    """
    The test waited \(limit) for \(wanted).\(skippedText(skipped))\(openText(open))\(clockText(clock))
    Let what they wait for happen before: answer the call of the fake, open the gate, advance the clock. Where it only takes \
    longer, give the store a longer timeout.
    """
  }

  /// The test was cancelled meanwhile, as its time limit does.
  static func cancelled(_ wanted: String, open: [Content.OpenAction], clock: TestClock?) -> String {
    """
    The test was cancelled while it waited for \(wanted). \(openText(open))\(clockText(clock))
    Let what they wait for happen before: answer the call of the fake, open the gate, advance the clock.
    """
  }

  private static func skippedText(_ skipped: Skipped) -> String {
    skipped.count == 0 ? " " : " Skipped so far:\n\(list(skipped.first, of: skipped.count))\n"
  }

  // MARK: The end

  /// Actions had no outcome when the test was over.
  static func stillOpen(limit: Duration, open: [Content.OpenAction], clock: TestClock?) -> String {
    """
    The test is at its end, and \(limit) later actions still have no outcome. \(openText(open))\(clockText(clock))
    Bring each to its end before finish: let what it waits for happen, or cancel it by its receipt.
    """
  }

  /// The test did not call `finish`.
  static func released(_ commits: [Content.Commit], open: [Content.OpenAction]) -> String {
    """
    This test store was released without finish(), so what its handlers did to the end was not checked.\
    \(commits.isEmpty ? "" : "\nNot received:\n\(list(commits))")\(open.isEmpty ? "" : "\n\(openText(open))")
    Call await store.finish() at the end of the test.
    """
  }

  /// An action ended otherwise than the test expects.
  static func outcome(_ outcome: Outcome, expected: Outcome.Kind) -> String {
    """
    The action was expected to end as \(expected), but its outcome is \(outcome.kind) (\(outcome)). Expect \(outcome.kind), or \
    mend what made it end so.
    """
  }

  /// The failure of an action that is to be rejected for a reason, or nil.
  ///
  /// - Parameters:
  ///   - subject: the name of the action.
  ///   - actual: the outcome of the action; nil if it has none yet.
  static func rejection(of subject: String, as reason: Rejection.Kind, _ actual: Outcome?) -> String? {
    if case .rejected(let rejection)? = actual, rejection.kind == reason { return nil }
    let expected = "\(subject) was expected to be rejected as \(reason), but"
    let fix = "Bring about that rejection before the action is sent, or"
    return switch actual {
    case nil: "\(expected) it was accepted and has no outcome yet. \(fix) send it and expect its outcome."
    case .rejected(let rejection)?:
      "\(expected) it was rejected as \(rejection.kind): \(rejection) Expect \(rejection.kind), or mend what rejected it so."
    case let outcome?: "\(expected) its outcome is \(outcome.kind) (\(outcome)). \(fix) expect \(outcome.kind)."
    }
  }

  // MARK: Lists

  private static func openText(_ open: [Content.OpenAction]) -> String {
    if open.isEmpty { return "No action is open." }
    return "Open:\n" + list(open.map(line), of: open.count)
  }

  private static func line(_ action: Content.OpenAction) -> String {
    var text = name(action.action)
    if let location = action.location {
      text += ", sent at \(location)"
    } else if action.hasParent {
      text += ", sent by a handler"
    }
    if let since = action.since { text += " when the clock stood at \(since)" }
    return text + ", \(count(action.commits, "mutation")) so far"
  }

  private static func clockText(_ clock: TestClock?) -> String {
    guard let clock else { return "" }
    let deadlines = clock.deadlines.map(\.offset)
    let sleepers =
      switch deadlines.count {
      case 0: "no task sleeps on it."
      case 1: "1 task sleeps on it, until \(deadlines[0])."
      default: "\(deadlines.count) tasks sleep on it, the first until \(deadlines[0])."
      }
    return "\nThe test clock stands at \(clock.now.offset); \(sleepers)"
  }

  private static func count(_ count: Int, _ word: String) -> String {
    "\(count) \(word)\(count == 1 ? "" : "s")"
  }

  private static func list(_ lines: [String], of count: Int) -> String {
    let rest = count - limit
    let shown = lines.prefix(limit) + (rest > 0 ? ["… and \(rest) more"] : [])
    return shown.map { "  \($0)" }.joined(separator: "\n")
  }
}
