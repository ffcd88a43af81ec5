import Millrace

/// The store of one key, from its first use until it hibernates; the lock of the registry guards everything that changes.
final class KeyedStore<I: Interactor>: Linked, @unchecked Sendable {
  enum Phase {
    /// The key is to be opened. Becomes `opening`, or `ended` if it is refused.
    case waiting
    /// The log is read, and then the held actions are passed. Becomes `open` or `ended`.
    case opening
    /// Actions are sent to the store at once. Becomes `closing` or `ended`.
    case open
    /// The key hibernates. Becomes `ended`.
    case closing
    /// The store is not the one of the key any more; the error is the one of its opening. Remains.
    case ended(Rejection?)
  }

  let key: JournalKey
  /// The number of the partition that has the key; 0 without a journal.
  let partition: Int
  let store: Store<I>
  let interceptors: [any Interceptor<I>]
  let feedbacks: KeyFeedbacks<I.State, I.Action>

  var phase = Phase.waiting

  /// The number of callers that use the store now.
  var uses = 0

  /// The number of uses so far.
  var generation = 0

  /// The time of the last use, on the clock of the stores.
  var lastUse: Int64 = 0

  /// Whether the store is being looked at, to see whether it may hibernate.
  var isExamined = false

  /// Whether the store reports when it is idle next.
  var isWatched = false

  /// Whether the store of a key that hibernates was shut down, so that only handlers are waited for which ignore their cancellation.
  var isShutDown = false

  /// Whether the store is being shut down with those of all keys.
  var isEnding = false

  /// Whether the journal has failed for the store.
  var hasStopped = false

  /// The actions that were sent before the store was open, in their order.
  var held: [HeldAction<I>] = []

  /// The callers that wait until the store is open, or cannot be.
  var opened: [Promise<Rejection?>] = []

  /// The callers that wait until the key has hibernated, or is found to be in use; whether it has.
  var hibernated: [Promise<Bool>] = []

  /// The callers that wait until an opening or a hibernation has come so far that an erasure or a shutdown can continue.
  var changed: [Promise<Bool>] = []

  /// The store of the key that is opened once this one has hibernated.
  var successor: KeyedStore?

  /// Set by the opening.
  var opening: OpenedKey<I.State>?

  /// Whether the stores have the metrics of this one among those that have ended.
  var isCounted = false

  /// The neighbours among the keys that wait, or that may hibernate.
  var previous: KeyedStore?
  var following: KeyedStore?

  init(
    _ key: JournalKey, in partition: Int, _ store: Store<I>, _ interceptors: [any Interceptor<I>],
    _ feedbacks: KeyFeedbacks<I.State, I.Action>
  ) {
    self.key = key
    self.partition = partition
    self.store = store
    self.interceptors = interceptors
    self.feedbacks = feedbacks
  }
}
