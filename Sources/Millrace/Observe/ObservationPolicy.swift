/// The choice of the states that an observer gets when it is slower than the store.
///
/// `Failure` is the error that may end the observer before the store ends: `Never` for ``latest`` and ``every(buffer:)``,
/// ``StoreError`` for the policies that can end an observer. An observer whose `Failure` is ``StoreError`` also ends with
/// ``StoreError/Code/journal`` when the journal of its store fails; one that cannot fail simply ends then.
public struct ObservationPolicy<Failure: Error>: Sendable, Hashable {
  @usableFromInline let terms: ObservationTerms

  /// Whether the observer gets each state once it is durable.
  @usableFromInline private(set) var isDurable = false

  init(terms: ObservationTerms) {
    self.terms = terms
  }

  /// The same policy, whose observer gets each state once the store's journal has stored everything that led to it.
  ///
  /// ```swift
  /// for await state in store.states(.every(buffer: 10).durable) { await replica.show(state) }
  /// ```
  ///
  /// A crash takes back no state that was delivered. Durability is independent of the choice of states, so that it is a property of each
  /// policy.
  ///
  /// **Order.** The order is the order of the policy. The observer takes a state as the policy says, and waits until this state is durable. So the first
  /// element is the state with which the policy begins, delivered as soon as the journal covers it, and while it waits the observer of
  /// ``latest`` holds this one state and the store copies none for it. A state that never becomes durable is not delivered: when the journal
  /// fails, the observer ends, with ``StoreError/Code/journal`` if its `Failure` is ``StoreError``.
  ///
  /// **Backpressure.** An observer that waits for the journal is behind by the commits after the state that it has taken, durable or not,
  /// and the policy decides: ``every(buffer:)`` skips, and under ``lossless(pausesAt:endsAt:)`` the store pauses.
  ///
  /// **Cancellation.** In a cancelled task the wait ends; the state that waited is the next element of the iterator.
  ///
  /// For a store without a journal the policy does not change.
  public var durable: ObservationPolicy {
    var durable = self
    durable.isDurable = true
    return durable
  }

  /// Whether an observer has to do with the journal of its store: it waits for the journal, or ends with the journal's error.
  @inlinable var involvesJournal: Bool { isDurable || Failure.self != Never.self }

  /// Whether observers share one evaluation of what they observe.
  @usableFromInline var sharesEvaluation: Bool { terms == .latest && !isDurable }
}

/// The terms of an ``ObservationPolicy``, whatever its failure.
@usableFromInline
enum ObservationTerms: Sendable, Hashable {
  case latest
  /// Each state; an observer further behind than `buffer` commits ends, or continues with the newest state.
  case every(buffer: Int, endsObserver: Bool)
  case lossless(pausesAt: Int, endsAt: Int)

  /// The largest number of commits that counts; a revision and a number up to this can be added without overflow.
  private static let most = 1 << 48

  /// The terms of a policy that delivers every state, with `buffer` brought into its range.
  static func every(within buffer: Int, endsObserver: Bool) -> ObservationTerms {
    .every(buffer: min(max(1, buffer), most), endsObserver: endsObserver)
  }

  /// The terms of a lossless policy, with both numbers brought into their ranges.
  static func lossless(within bound: Int, limit: Int) -> ObservationTerms {
    let bound = min(max(1, bound), most)
    return .lossless(pausesAt: bound, endsAt: min(max(bound, limit), most))
  }
}

extension ObservationPolicy where Failure == Never {
  /// Only the newest: a slow observer skips the states between, at no cost to the store.
  public static var latest: ObservationPolicy { ObservationPolicy(terms: .latest) }

  /// The newest state once it is durable: the durable form of ``latest``.
  ///
  /// ```swift
  /// for await state in store.states(.durable) { await replica.show(state) }
  /// ```
  public static var durable: ObservationPolicy { latest.durable }

  /// Each state in order; an observer that is too far behind continues with the newest state, which says how many it missed.
  ///
  /// The observer replays the store's mutations on a copy of its own, so that no state is copied for it; the mutations it has
  /// not taken yet are kept for it.
  ///
  /// - Parameter buffer: the number of commits that the observer may be behind; below 1 it is taken as 1, and any number is possible.
  public static func every(buffer: Int = 256) -> ObservationPolicy {
    ObservationPolicy(terms: .every(within: buffer, endsObserver: false))
  }
}

extension ObservationPolicy where Failure == StoreError {
  /// The same policy, in the type of the policies that can end an observer.
  ///
  /// For a policy that is chosen at run time among several:
  ///
  /// ```swift
  /// let policy: ObservationPolicy<StoreError> = isExact ? .lossless() : ObservationPolicy(.latest)
  /// ```
  public init(_ policy: ObservationPolicy<Never>) {
    terms = policy.terms
    isDurable = policy.isDurable
  }

  /// Each state in order; an observer that is too far behind gets the states that it has taken, then ends with ``StoreError/Code/lagged``.
  ///
  /// Otherwise as ``every(buffer:)``.
  ///
  /// - Parameter limit: the number of commits behind past which the observer ends; below 1 it is taken as 1.
  public static func every(endsAt limit: Int) -> ObservationPolicy {
    ObservationPolicy(terms: .every(within: limit, endsObserver: true))
  }

  /// Each state in order, and the store takes on less while the observer is far behind.
  ///
  /// `pausesAt` commits behind, `submit` suspends and `send` is rejected as ``Rejection/full(_:)``, until the observer has caught
  /// up to less; what was accepted before continues and commits. Past `endsAt`, the observer ends with
  /// ``StoreError/Code/lagged``. So nothing is skipped and nothing grows without bound.
  ///
  /// An observer that submits to the store in its own loop would wait for itself: give it another policy.
  ///
  /// - Parameters:
  ///   - bound: the number of commits behind at which the store pauses; below 1 it is taken as 1.
  ///   - limit: the number of commits behind past which the observer ends; below `bound` it is taken as that.
  public static func lossless(pausesAt bound: Int = 1_024, endsAt limit: Int = 65_536) -> ObservationPolicy {
    ObservationPolicy(terms: .lossless(within: bound, limit: limit))
  }
}
