extension StoreCore {
  /// Begins a task that ends with the store; `start` makes it, and it says at its end that it has returned.
  ///
  /// `start` is told whether it is called from within the beginning of another one.
  @discardableResult
  func spawn<Failure: Error>(
    _ start: (_ isNested: Bool, _ hasReturned: @escaping @Sendable () -> Void) -> Task<Void, Failure>
  ) -> Task<Void, Failure> {
    let tasks = tasks
    let number = tasks.next()
    let task = tasks.begin { isNested in
      start(isNested) { tasks.hasReturned(number) }
    }
    tasks.hasBegun(number) { task.cancel() }
    return task
  }

  /// Cancels the tasks that end with the store.
  ///
  /// *With the lock.*
  func endStoreTasks() {
    guard let tasks = ledger?.tasks else { return }
    lock.afterUnlock { tasks.end() }
  }

  private var tasks: StoreTasks {
    performNow { self.ownStoreTasks } ?? ownStoreTasks
  }

  /// *With the lock.*
  private var ownStoreTasks: StoreTasks {
    let ledger = ownLedger
    if let tasks = ledger.tasks { return tasks }
    let made = StoreTasks()
    if isClosing { made.end() }
    ledger.tasks = made
    return made
  }
}
