/// One commit: a mutation, what brought it about, and the state it led to.
public struct Transition<I: Interactor>: Sendable {
  /// What was applied to the state.
  public let mutation: I.Mutation

  /// The action that brought it about, and where that came from.
  public let cause: Cause<I.Action>

  /// The place in the order of commits; the first commit has revision 1.
  public let revision: Int

  /// How many commits the observer skipped since the one before; 0 but after a gap.
  public let missed: Int

  /// The state before, if it was asked for; nil after a gap.
  public let before: I.State?

  /// The state after.
  public let state: I.State
}

extension Transition: CustomStringConvertible {
  /// The revision, the mutation and its action, without payloads and states: `revision 4: rated, by rate (#12@1)`.
  public var description: String {
    let name = ValueName(payloads: false)
    let gap = missed == 0 ? "" : ", after \(missed) missed"
    return "revision \(revision): \(name.of(mutation)), by \(name.of(cause))\(gap)"
  }
}

/// The commits of a store over time: each mutation with the state it led to, and what brought it about.
///
/// **Order.** Begins with the first commit after the making of the iterator; each later one follows, in the order of commits.
/// Every iterator is an observer of its own.
///
/// **Isolation.** Elements are delivered where the observer runs; there it replays mutations on a state of its own.
///
/// **Backpressure.** As the policy says, by default `.every(buffer: 256, onOverflow: .reportGap)`: an observer that is further
/// behind goes on with the newest transition, which says how many it missed.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Lifetime.** It ends when the store is shut down or released, after what was committed before. Neither it nor its iterators
/// hold the store. While there is an iterator, each action costs the store a record of its own.
public struct TransitionSequence<I: Interactor>: AsyncSequence, Sendable {
  /// A commit.
  public typealias Element = Transition<I>

  /// Why it ended before the store did, by its policy.
  public typealias Failure = StoreError

  private let makeReplay: @Sendable () -> Replay<I>
  private let includesBefore: Bool

  init(includesBefore: Bool, makeReplay: @escaping @Sendable () -> Replay<I>) {
    self.includesBefore = includesBefore
    self.makeReplay = makeReplay
  }

  /// Makes an observer of the commits from now on.
  public func makeAsyncIterator() -> Iterator {
    Iterator(replay: makeReplay(), includesBefore: includesBefore)
  }

  /// One observer of a store's commits.
  public struct Iterator: AsyncIteratorProtocol {
    private let replay: Replay<I>
    private let includesBefore: Bool

    init(replay: Replay<I>, includesBefore: Bool) {
      self.replay = replay
      self.includesBefore = includesBefore
    }

    /// The next commit, as soon as there is one; nil when there will be none.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Transition<I>? {
      var missed = 0
      while true {
        let before = includesBefore ? replay.progress.state : nil
        guard let step = try await replay.next(), let state = replay.progress.state else { return nil }
        missed += step.missed
        guard !step.isFirst else { continue }
        guard let entry = step.entry, let cause = entry.cause else {
          missed += 1
          continue
        }
        return Transition(
          mutation: entry.mutation, cause: cause, revision: replay.progress.revision, missed: missed,
          before: missed == 0 ? before : nil, state: state)
      }
    }

    /// The next commit, as soon as there is one; nil when there will be none.
    public mutating func next() async throws(StoreError) -> Transition<I>? {
      try await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension TransitionSequence.Iterator: Sendable {}
