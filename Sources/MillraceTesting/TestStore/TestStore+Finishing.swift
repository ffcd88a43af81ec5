import Millrace

extension TestStore {
  /// Ends the test: waits until no action is open, and asserts that all was received and all of the fakes was used.
  ///
  /// With ``Exhaustivity/off`` mutations that were not received are no failures; actions without an outcome are. Where each
  /// action that ends leads to another one, those that are open when the timeout is over are the failure. When the
  /// task is cancelled the wait ends, which fails the test too.
  ///
  /// - Parameters:
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  public func finish(file: StaticString = #filePath, line: UInt = #line) async {
    let place = TestLine(file: file, line: line)
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
    if exhaustivity == .on, !unasserted.isEmpty { fail(TestStoreText<I>.unreceived(unasserted), at: place) }
    if answer == nil {
      fail(TestStoreText<I>.cancelled("the end of all actions", open: open, clock: clock), at: place)
    } else if !open.isEmpty {
      fail(TestStoreText<I>.stillOpen(limit: timeout, open: open, clock: clock), at: place)
    }
    for fake in fakes { await fake.finish(file: file, line: line) }
    await reporter.settle()
  }
}
