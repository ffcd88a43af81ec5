/// One committed mutation, for those who replay it.
@usableFromInline
struct LogEntry<I: Interactor>: Sendable {
  @usableFromInline let mutation: I.Mutation

  /// What brought it about, if somebody wanted to know when it was committed.
  @usableFromInline let cause: Cause<I.Action>?

  @inlinable
  init(mutation: I.Mutation, cause: Cause<I.Action>?) {
    self.mutation = mutation
    self.cause = cause
  }
}

/// Some mutations in the order of their commits, and where they go on.
@usableFromInline
final class LogChunk<I: Interactor> {
  @inlinable static var capacity: Int { 64 }

  @exclusivity(unchecked) @usableFromInline var entries: [LogEntry<I>] = []
  @exclusivity(unchecked) @usableFromInline var next: LogChunk?

  @inlinable
  init() {}
}

/// The mutations that followers have not taken yet; it exists only while there is one.
///
/// Each follower holds the chunk it reads and the log holds the last one, so that a chunk goes when the slowest follower has
/// left it. Guarded by the store's turn.
@usableFromInline
final class MutationLog<I: Interactor> {
  @exclusivity(unchecked) @usableFromInline var tail = LogChunk<I>()
  private(set) var followers = PlacedList<Follower<I>>()

  /// At which revision a follower may have fallen too far behind.
  @exclusivity(unchecked) @usableFromInline private(set) var nextCheck = Int.max

  /// How many followers hold the store up.
  private(set) var holding = 0

  init() {}

  /// The newest entry, if it is still here.
  @inlinable var last: LogEntry<I>? { tail.entries.last }

  /// Keeps a mutation for all followers.
  @inlinable
  func append(_ entry: LogEntry<I>) {
    if tail.entries.count >= LogChunk<I>.capacity {
      let chunk = LogChunk<I>()
      tail.next = chunk
      tail = chunk
    }
    tail.entries.append(entry)
  }

  // MARK: Followers

  @usableFromInline var hasOneFollower: Bool { followers.elements.count == 1 }

  /// Lets the follower read on from here; `revision` is the newest.
  func join(_ follower: Follower<I>, at revision: Int) {
    followers.insert(follower)
    follower.position = (tail, tail.entries.count)
    nextCheck = min(nextCheck, revision + follower.allowance)
  }

  /// Keeps nothing for the follower any more.
  func leave(_ follower: Follower<I>) {
    release(follower)
    follower.position = nil
    followers.remove(follower)
  }

  /// The next entries for the follower, in the place of those it was given before; none if it has read all.
  @inlinable
  func take(for follower: Follower<I>, into batch: inout [LogEntry<I>]) {
    batch.removeAll(keepingCapacity: true)
    if let (chunk, index) = follower.position, chunk === tail, index == 0, hasOneFollower {
      // Nobody else reads them: the two buffers change places, and nothing is copied.
      swap(&batch, &chunk.entries)
    } else {
      follower.take(into: &batch)
    }
  }

  // MARK: Falling behind

  /// Parts with followers that are too far behind `revision`, and sees who holds the store up.
  @usableFromInline
  func check(at revision: Int) {
    nextCheck = .max
    for follower in followers.elements where follower.position != nil {
      let lag = revision - follower.delivered
      switch follower.judge(lag: lag) {
      case .goesOn:
        nextCheck = min(nextCheck, revision - lag + follower.allowance)
      case .holds(let limit):
        if !follower.isHolding {
          follower.isHolding = true
          holding += 1
        }
        nextCheck = min(nextCheck, revision - lag + limit + 1)
      case .parts(let error):
        follower.position = nil
        follower.error = error
        release(follower)
      }
    }
  }

  /// Lets the follower hold the store up no longer, if it has caught up.
  @usableFromInline
  func releaseIfNear(_ follower: Follower<I>, revision: Int) {
    guard follower.isHolding else { return }
    let lag = revision - follower.delivered
    guard case .goesOn = follower.judge(lag: lag) else { return }
    release(follower)
    nextCheck = min(nextCheck, revision - lag + follower.allowance)
  }

  private func release(_ follower: Follower<I>) {
    guard follower.isHolding else { return }
    follower.isHolding = false
    holding -= 1
  }
}
