public import Millrace

extension World {
  /// Checks that this holds for each state of a store from now on.
  ///
  /// It is asked after each commit, with the store's lock, if the store was made with ``configuration``, and in any case after
  /// each step of the world. The store is not held; of one that was released nothing is asked. Otherwise as
  /// ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: the rule that has to hold, as a sentence.
  ///   - store: whose state it is about.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - holds: whether it does.
  public func always<I: Interactor>(
    _ rule: String, of store: Store<I>, file: StaticString = #filePath, line: UInt = #line,
    _ holds: @escaping @Sendable (I.State) -> Bool
  ) {
    let invariant = Invariants.Invariant(rule: rule, file: file, line: line) { [weak store] in
      store?.snapshotAtOnce().map { holds($0.state) } ?? true
    } holdsFor: { [weak store] in
      Self.holds($0, of: $1, store, holds)
    } state: { [weak store] in
      store?.snapshotAtOnce()?.state
    }
    watch { $0.always.append(invariant) }
  }

  /// Checks that this holds at some time for a state of a store: within a time of the world's clock, or before its end.
  ///
  /// It is asked when ``always(_:of:file:line:_:)`` is. The store is held until the end. Otherwise as
  /// ``eventually(_:within:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: the rule that has to hold once, as a sentence.
  ///   - store: whose state it is about.
  ///   - time: the longest time for that; nil leaves it time until the end.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - holds: whether it does.
  public func eventually<I: Interactor>(
    _ rule: String, of store: Store<I>, within time: Duration? = nil, file: StaticString = #filePath,
    line: UInt = #line, _ holds: @escaping @Sendable (I.State) -> Bool
  ) {
    let invariant = Invariants.Invariant(rule: rule, file: file, line: line) {
      store.snapshotAtOnce().map { holds($0.state) } ?? false
    } holdsFor: {
      Self.holds($0, of: $1, store, holds)
    } state: {
      store.snapshotAtOnce()?.state
    }
    let deadline = time.map { clock.now.advanced(by: $0) }
    watch { $0.await(invariant, until: deadline) }
  }

  /// Checks that this holds for the state of a store when the body has returned and nothing is left to run.
  ///
  /// The store is held until then. Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: the rule that has to hold, as a sentence.
  ///   - store: whose state it is about.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - holds: whether it does.
  public func atTheEnd<I: Interactor>(
    _ rule: String, of store: Store<I>, file: StaticString = #filePath, line: UInt = #line,
    _ holds: @escaping @Sendable (I.State) -> Bool
  ) {
    var invariant = Invariants.Invariant(rule: rule, file: file, line: line) {
      store.snapshotAtOnce().map { holds($0.state) } ?? true
    }
    invariant.state = { store.snapshotAtOnce()?.state }
    watch { [invariant] in $0.atTheEnd.append(invariant) }
  }

  /// Whether it holds for a state that was committed; nil if that is one of another store.
  private static func holds<I: Interactor>(
    _ state: any Sendable, of identity: AnyObject, _ store: Store<I>?, _ holds: (I.State) -> Bool
  ) -> Bool? {
    guard identity === store?.identity, let state = state as? I.State else { return nil }
    return holds(state)
  }
}

extension World {
  /// Latency and faults for the fakes of this world, in its time; a failing seed is left with as few as fail too.
  ///
  /// - Parameters:
  ///   - latency: the time of each call before its answer.
  ///   - faults: of each fault, the part of the calls that meet it, from 0 to 1.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func faults(
    latency: FakeFaults.Latency = .none, _ faults: [FakeFaults.Fault: Double] = [:], file: StaticString = #filePath,
    line: UInt = #line
  ) -> FakeFaults {
    var settings = FakeFaults.Settings()
    settings.latency = latency
    settings.faults = faults
    // In an order of its own, for a sum of these depends on it.
    let all = min(FakeFaults.Fault.allCases.reduce(0) { $0 + max(faults[$1] ?? 0, 0) }, 1)
    return FakeFaults(clock: clock, settings: settings, location: TestLine(file, line)) { [self] in
      // As many draws for each call; without the first there is no fault, and a latency without one is the shortest.
      let (isFaulty, which) = (fault(all), part())
      let hasLatency = latency.duration(for: 0) != latency.duration(for: 0.5)
      let time = part(hasLatency ? .extremes : .none)
      if hasLatency { traceDraw("the latency \(latency.duration(for: time))") }
      return FakeFaults.Draws(fault: isFaulty ? which * all : .infinity, latency: time, slowness: part())
    }
  }
}
