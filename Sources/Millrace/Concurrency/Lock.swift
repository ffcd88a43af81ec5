#if SANITIZE_THREAD
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif

  /// The one lock of this package; it owns the state it guards.
  ///
  /// This form is a pthread mutex: ThreadSanitizer does not see into `Synchronization.Mutex` and would report what that
  /// guards as races. It stands in under `-D SANITIZE_THREAD` alone.
  @usableFromInline
  package struct Lock<State>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    /// Creates a free lock around `state`.
    @usableFromInline
    package init(_ state: consuming sending State) {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      self.state = .allocate(capacity: 1)
      self.state.initialize(to: state)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
      state.deinitialize(count: 1)
      state.deallocate()
    }

    /// Runs `body` on the state with the lock held.
    @usableFromInline
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&state.pointee)
    }
  }
#else
  public import Synchronization

  /// The one lock of this package; it owns the state it guards.
  ///
  /// It is `Synchronization.Mutex`, but for builds with `-D SANITIZE_THREAD`, where it is one that ThreadSanitizer sees.
  @usableFromInline
  package struct Lock<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<State>

    /// Creates a free lock around `state`.
    @inlinable
    package init(_ state: consuming sending State) {
      mutex = Mutex(state)
    }

    /// Runs `body` on the state with the lock held.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }
#endif
