public import Millrace

extension World {
  /// Says that this must hold for the state of a store after each step of the world, from now on.
  ///
  /// The store is not held; of one that was released nothing is asked. Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: what has to hold, as a sentence.
  ///   - store: whose state it is about.
  ///   - holds: whether it does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func always<I: Interactor>(
    _ rule: String, of store: Store<I>, file: StaticString = #filePath, line: UInt = #line,
    _ holds: @escaping (I.State) -> Bool
  ) {
    always(rule, file: file, line: line) { [weak store] in
      store?.snapshotAtOnce().map { holds($0.state) } ?? true
    }
  }

  /// Says that this must hold at some time for the state of a store: within a time of the world's clock, or before its end.
  ///
  /// The store is held until then. Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: what has to hold once, as a sentence.
  ///   - store: whose state it is about.
  ///   - time: how long that may take; nil leaves it time until the end.
  ///   - holds: whether it does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func eventually<I: Interactor>(
    _ rule: String, of store: Store<I>, within time: Duration? = nil, file: StaticString = #filePath,
    line: UInt = #line, _ holds: @escaping (I.State) -> Bool
  ) {
    eventually(rule, within: time, file: file, line: line) {
      store.snapshotAtOnce().map { holds($0.state) } ?? false
    }
  }

  /// Says that this must hold for the state of a store when the body has returned and nothing is left to run.
  ///
  /// The store is held until then. Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: what has to hold, as a sentence.
  ///   - store: whose state it is about.
  ///   - holds: whether it does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func atTheEnd<I: Interactor>(
    _ rule: String, of store: Store<I>, file: StaticString = #filePath, line: UInt = #line,
    _ holds: @escaping (I.State) -> Bool
  ) {
    atTheEnd(rule, file: file, line: line) {
      store.snapshotAtOnce().map { holds($0.state) } ?? true
    }
  }
}
