/// One part of a store's state over time: an element whenever it differs from the one this observer got last.
///
/// **Order.** The first element is the current value; an equal value is never delivered twice in a row, and nil is a value.
/// A slow observer skips to the newest value, at no cost to the store. Every iterator is an observer of its own.
///
/// **Isolation.** Elements are delivered where the observer runs. The closure or key path is evaluated with the store's
/// lock, on any thread: it must be quick, and free of effects.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Lifetime.** The sequence ends when the store is shut down, after its last value, or released. Neither it nor its
/// iterators hold the store; an iterator that is not waiting costs the store nothing.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A value of the observed part.
  public typealias Element = Value

  /// Values do not fail.
  public typealias Failure = Never

  /// The next value that differs from the last; nil when there will be none.
  ///
  /// Made anew for each observer.
  typealias Next = () async -> Value?

  private let observe: @Sendable () -> Next

  init(observe: @escaping @Sendable () -> Next) {
    self.observe = observe
  }

  /// Makes an observer, which begins with the then current value.
  public func makeAsyncIterator() -> Iterator {
    Iterator(next: observe())
  }

  /// One observer of a part of the state.
  public struct Iterator: AsyncIteratorProtocol {
    private let take: Next

    init(next: @escaping Next) {
      take = next
    }

    /// The next value that differs from the last, as soon as there is one; nil when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await take()
    }

    /// The next value that differs from the last, as soon as there is one; nil when there will be none.
    public mutating func next() async -> Value? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension ValueSequence.Iterator: Sendable {}

/// A value taken from a state, with the place of that state in the order of commits.
public struct ValueSnapshot<Value: Sendable>: Sendable {
  /// The number of mutations committed before the state was; 0 is the initial state.
  public let revision: Int

  /// The value, as it was in that state.
  public let value: Value

  /// The number of states that the observer skipped since its last element, counting states and not values; 0 for its first.
  public let missed: Int

  /// Makes a value snapshot.
  public init(revision: Int, value: Value, missed: Int = 0) {
    self.revision = revision
    self.value = value
    self.missed = missed
  }
}

extension ValueSnapshot: Equatable where Value: Equatable {}

/// One part of a store's state over time with its revisions, under some ``ObservationPolicy``.
///
/// **Order.** The first element is the current value, the one at the making of the iterator where every state is observed;
/// each later one is newer than the one before. Every iterator is an observer of its own: none takes elements from another.
///
/// **Isolation.** Elements are delivered where the observer runs; there it also replays mutations, where every state is
/// observed, and evaluates the key path or closure. An observer may send to the store it observes.
///
/// **Backpressure.** As the policy says.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Throws:** `Failure`, which is `Never` for the policies that cannot end an observer.
///
/// **Lifetime.** The sequence ends when the store is shut down or released, after what was committed before. Neither it nor
/// its iterators hold the store. What is kept for an iterator goes when that is dropped.
public struct ValueSnapshotSequence<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// A value and its revision.
  public typealias Element = ValueSnapshot<Value>

  @usableFromInline let makeReader: @Sendable () -> SnapshotReader<Value>

  @usableFromInline
  init(makeReader: @escaping @Sendable () -> SnapshotReader<Value>) {
    self.makeReader = makeReader
  }

  /// Makes an observer, which begins with the then current value.
  public func makeAsyncIterator() -> Iterator {
    Iterator(reader: makeReader())
  }

  /// One observer of a part of the state.
  public struct Iterator: AsyncIteratorProtocol {
    private let reader: SnapshotReader<Value>

    init(reader: SnapshotReader<Value>) {
      self.reader = reader
    }

    /// Returns the next value by the policy, as soon as there is one; nil when there will be none.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> ValueSnapshot<Value>? {
      do {
        guard let snapshot = try await reader.next() else { return nil }
        return ValueSnapshot(revision: snapshot.revision, value: snapshot.state, missed: snapshot.missed)
      } catch {
        // A policy whose `Failure` is `Never` gives its observers no error.
        if let failure = error as? Failure { throw failure }
        return nil
      }
    }

    /// Returns the next value by the policy, as soon as there is one; nil when there will be none.
    public mutating func next() async throws(Failure) -> ValueSnapshot<Value>? {
      try await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension ValueSnapshotSequence.Iterator: Sendable {}

/// A value in the state that counts as changed each time it is set, even to an equal value.
///
/// Observers of a plain property are not told of a value equal to the one they got last. Where the setting itself is the
/// news (a message to be shown, a bell to be rung), keep it in a pulse: two pulses are equal only if neither was set since.
///
/// ```swift
/// struct State { var message = Pulse("") }
/// state.message.value = "Saved"      // delivered
/// state.message.value = "Saved"      // delivered again
/// ```
public struct Pulse<Value: Sendable>: Sendable, Equatable {
  /// The value; setting it makes the pulse differ from what it was.
  public var value: Value {
    didSet { settings &+= 1 }
  }

  /// How often the value was set.
  public private(set) var settings = 0

  /// Makes a pulse that was never set.
  public init(_ value: Value) {
    self.value = value
  }

  /// Whether both were set equally often; their values are not compared.
  public static func == (left: Pulse, right: Pulse) -> Bool {
    left.settings == right.settings
  }
}
