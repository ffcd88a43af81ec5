/// Writes a line for each event of a store, with types and times, and with payloads only if they are asked for.
///
/// ```
/// accepted load (#4@1)
/// committed 1: loading, by load (#4@1)
/// accepted rate (#8@1), sent by #4@1
/// committed 2: rated, by rate (#8@1), sent by #4@1
/// finished rate (#8@1) after 1.2 µs
/// failed with Offline: load (#4@1) after 31 ms
/// ```
///
/// An action has a line when it is accepted, each commit has one, and an action when it has ended, with the time since it was
/// accepted; one that is rejected before has only that line. `#4@1` is the action's id and its store.
///
/// **Order and isolation.** Lines are written one after the other, with the store's lock: `write` must be quick. Only the line
/// of an action that is rejected because too many are queued is written by the sender's thread, at any time.
///
/// **Lifetime.** It remembers the actions that are open. When it is removed from the chain, it does not get the ends of actions that are open
/// the end; to log again, give the store another one.
public final class LoggingInterceptor<I: Interactor>: Interceptor {
  /// A state that a commit is compared with.
  private struct Seen: Sendable {
    let store: Int
    let revision: Int
    let state: I.State
  }

  private let name: ValueName
  private let write: @Sendable (String) -> Void
  private let times: AcceptanceTimes

  private let showsDifferences: Bool

  /// The state after the last commit, if differences are shown.
  private let last = Lock<Seen?>(nil)

  /// Creates an interceptor for one store.
  ///
  /// - Parameters:
  ///   - payloads: whether actions, mutations and errors are shown with their payloads, shortened to 200 characters each.
  ///     Otherwise enums are shown by the names of their cases, and all else by the names of types.
  ///   - differences: whether each commit is followed by lines for its changes of the state, values included. That costs a
  ///     copy of the parts that each commit changes, and the comparison. The first commit has nothing to be compared with.
  ///   - clock: the clock that measures the times.
  ///   - write: a closure that writes a line, which has no line break; by default standard error.
  public init(
    payloads: Bool = false, differences: Bool = false, clock: any Clock<Duration> = ContinuousClock(),
    write: (@Sendable (String) -> Void)? = nil
  ) {
    name = ValueName(payloads: payloads)
    self.write = write ?? { writeToStandardError(line: $0) }
    times = AcceptanceTimes(clock)
    showsDifferences = differences
  }

  /// The number of actions it remembers.
  var openCount: Int { times.count }

  /// Writes that an action was accepted.
  public func accepted(_ cause: Cause<I.Action>) {
    times.begin(cause.context.run)
    write("accepted \(name.of(cause))\(origin(of: cause))")
  }

  /// Writes that a mutation was committed, and its changes of the state if they are asked for.
  public func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    write("committed \(revision): \(name.of(mutation)), by \(name.of(cause))\(origin(of: cause))")
    guard showsDifferences else { return }
    let now = Seen(store: cause.context.run.store, revision: revision, state: copy state)
    let before = last.withLock { last in
      defer { last = now }
      return last
    }
    for line in LoggingInterceptor.differences(from: before, to: now) { write("  \(line)") }
  }

  /// Writes how an action ended, and after what time.
  public func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    let time = times.end(cause.context.run).map { " after \(Histogram.text($0))" } ?? ""
    let ending = name.of(outcome)
    let separator = outcome.isFinished ? "" : ":"
    write("\(ending)\(separator) \(name.of(cause))\(time)")
  }

  private func origin(of cause: Cause<I.Action>) -> String {
    cause.context.parent.map { ", sent by \($0)" } ?? ""
  }

  private static func differences(from before: Seen?, to now: Seen) -> [String] {
    guard let before, before.store == now.store, before.revision == now.revision - 1 else {
      return ["the state before was not seen; differences begin with the next commit"]
    }
    let difference = ValueDifference(from: before.state, to: now.state)
    return difference.isEmpty ? ["nothing differs"] : difference.lines
  }
}
