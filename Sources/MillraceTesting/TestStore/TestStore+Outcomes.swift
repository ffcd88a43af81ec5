public import Millrace

extension TestStore {
  /// Waits for the outcome of an action, and asserts it.
  ///
  /// When the task is cancelled the wait ends, which fails the test.
  ///
  /// - Parameters:
  ///   - receipt: the receipt that ``send(_:file:line:change:)`` returned.
  ///   - outcome: the expected outcome.
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  public func expect(
    _ receipt: Receipt, endsWith outcome: Outcome.Kind, file: StaticString = #filePath, line: UInt = #line
  ) async {
    let location = TestLine(file, line)
    guard let actual = await self.outcome(of: receipt, "the outcome \(outcome)", at: location) else { return }
    if actual.kind != outcome { fail(TestStoreText<I>.outcome(actual, expected: outcome), at: location) }
  }

  /// Waits for the outcome of an action, and asserts that it is a rejection for this reason.
  ///
  /// For an action that was accepted and is rejected later, as one that `.dropOldest` drops. When the task is cancelled the wait
  /// ends, which fails the test.
  ///
  /// - Parameters:
  ///   - receipt: the receipt that ``send(_:file:line:change:)`` returned.
  ///   - reason: the reason of the rejection.
  ///   - file: the file of a failure.
  ///   - line: the line of a failure.
  public func expect(
    _ receipt: Receipt, rejectedAs reason: Rejection.Kind, file: StaticString = #filePath, line: UInt = #line
  ) async {
    let location = TestLine(file, line)
    guard let actual = await outcome(of: receipt, "a rejection as \(reason)", at: location) else { return }
    if let problem = TestStoreText<I>.rejection(of: "The action", as: reason, actual) { fail(problem, at: location) }
  }

  /// Sends an action, and asserts that the store rejects it at once, for this reason.
  ///
  /// ```swift
  /// await store.expect(.reload, rejectedAs: .full)
  /// ```
  ///
  /// A rejection that the interactor decided may have a closing mutation, which is committed in the same step: `change` asserts
  /// it, as in ``send(_:file:line:change:)``. An action that is accepted is a failure, which says so if the action has no
  /// outcome yet, and names its outcome otherwise. The action stays open.
  ///
  /// **Order.** As ``send(_:file:line:change:)``: returns when the action was accepted or rejected. All that was committed before
  /// has to be asserted by now.
  ///
  /// **Cancellation.** A cancelled task sends and asserts as any other does.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - reason: the reason of the rejection.
  ///   - file: the file of a failure.
  ///   - line: the line of a failure.
  ///   - change: makes the expected state of the one before; nil when nothing changes.
  public func expect(
    _ action: I.Action, rejectedAs reason: Rejection.Kind, file: StaticString = #filePath, line: UInt = #line,
    change: ((inout I.State) -> Void)? = nil
  ) async {
    let location = TestLine(file, line)
    let sent = await take(action, at: location)
    let isOpen = log.withContent { content in content.open.contains { $0.id == sent.receipt.id } }
    let actual = isOpen ? nil : await sent.receipt.outcome
    let name = TestStoreText<I>.name(action)
    if let problem = TestStoreText<I>.rejection(of: name, as: reason, actual) { return fail(problem, at: location) }
    check(change, after: name, in: "expect", from: sent.before, to: sent.after, at: location)
  }

  /// Waits for the outcome of an action; nil after a failure.
  private func outcome(of receipt: Receipt, _ wanted: String, at location: TestLine) async -> Outcome? {
    _ = await store.snapshot  // By then it was accepted, or has ended.
    switch await log.wait(for: .end(of: receipt.id), until: deadline) {
    case .fulfilled: return await receipt.outcome
    case nil: fail(TestStoreText<I>.cancelled(wanted, open: log.withContent { $0.open }, clock: clock), at: location)
    case .late, .quiet: failLate(wanted, at: location)
    }
    return nil
  }
}

extension TestStore {
  /// Ends the test: waits until no action is open, and asserts that all was received and all of the fakes was used.
  ///
  /// With ``TestStore/Exhaustivity/off`` mutations that were not received are no failures; actions without an outcome are. Where each
  /// action that ends leads to another one, the actions that are open when the timeout is over are the failure. When the
  /// task is cancelled the wait ends, which fails the test too.
  ///
  /// - Parameters:
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  public func finish(file: StaticString = #filePath, line: UInt = #line) async {
    let location = TestLine(file, line)
    let deadline = deadline
    var answer: TestStoreWait.Answer?
    var open: [TestStoreLog<I>.Content.OpenAction]
    repeat {
      answer = await log.wait(for: .quiet, until: deadline)
      // What was sent by then and left for another thread is accepted when the state can be read.
      _ = await store.snapshot
      open = log.withContent { $0.open }
      // The time is looked at here too, for a wait that is short enough ends before its timer has begun.
    } while answer == .fulfilled && !open.isEmpty && !deadline.isOver
    let unasserted = log.withContent { content in
      content.finished()
      return content.takeAll()
    }
    if exhaustivity == .on, !unasserted.isEmpty { fail(TestStoreText<I>.unreceived(unasserted), at: location) }
    if answer == nil {
      fail(TestStoreText<I>.cancelled("the end of all actions", open: open, clock: clock), at: location)
    } else if !open.isEmpty {
      fail(TestStoreText<I>.stillOpen(limit: timeout, open: open, clock: clock), at: location)
    }
    for fake in fakes { await fake.finish(file: file, line: line) }
    await reporter.settle()
  }
}
