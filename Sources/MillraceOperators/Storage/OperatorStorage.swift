import Millrace

/// The tasks that read the bases of an operator, and the one consumer of its elements.
///
/// The tasks begin with the first demand, each waits for its turn to read one element, and all end with the sequence: by
/// its end, by a failure, or by ``cancel()``.
final class OperatorStorage<State: OperatorState>: Sendable {
  private typealias Consumer = CheckedContinuation<Result<State.Element?, State.Failure>, Never>

  private enum Tasks {
    /// There was no demand. Becomes `running` or `ended`.
    case none
    /// One for each base, and the one that sleeps for the alarm. Becomes `ended`.
    case running([Task<Void, Never>], alarm: Task<Void, Never>?)
    /// All are cancelled, and have no further turn. Remains.
    case ended
  }

  private struct Contents {
    var state: State
    var consumer: Consumer?
    var tasks = Tasks.none
  }

  private let contents: Lock<Contents>
  private let upstreams: [(upstream: Upstream<State.Element, State.Failure>, turns: Waiter)]
  private let time: AnyClock

  init(_ state: State, of upstreams: [Upstream<State.Element, State.Failure>], time: AnyClock = .none) {
    contents = Lock(Contents(state: state))
    self.upstreams = upstreams.map { ($0, Waiter()) }
    self.time = time
  }

  /// The next element, as soon as there is one; nil at the end, and once the task is cancelled.
  ///
  /// For one task at a time: a second one that calls it meanwhile, with a copy of the iterator, gets nil.
  func next() async throws(State.Failure) -> State.Element? {
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { demand($0) }
    } onCancel: {
      cancel()
    }
    return try answer.get()
  }

  /// Ends the sequence: the tasks are cancelled, and a consumer that waits gets nil.
  func cancel() {
    act { $0.cancel() }
  }

  private func demand(_ consumer: Consumer) {
    let isFirst = contents.withLock { contents in
      guard contents.consumer == nil else { return false }
      contents.consumer = consumer
      return true
    }
    guard isFirst else { return consumer.resume(returning: .success(nil)) }
    let now = time.now()
    act { $0.demand(at: now) }
  }

  /// The one place that changes the state: the event under the lock, what it asks for after.
  private func act(_ event: (inout State) -> State.Actions) {
    let (actions, consumer): (State.Actions, Consumer?) = contents.withLock { contents in
      let actions = event(&contents.state)
      guard actions.answer != nil else { return (actions, nil) }
      defer { contents.consumer = nil }
      return (actions, contents.consumer)
    }
    if actions.closes { endTasks() }
    if let alarm = actions.alarm { sleep(until: alarm) }
    if !actions.asked.isEmpty { startTasks() }
    for base in actions.asked { upstreams[base].turns.signal() }
    if let answer = actions.answer { consumer?.resume(returning: answer) }
  }

  /// Begins to read the bases, unless that was begun; only the consumer's first demand does.
  private func startTasks() {
    let isNew = contents.withLock { contents in
      guard case .none = contents.tasks else { return false }
      contents.tasks = .running([], alarm: nil)
      return true
    }
    guard isNew else { return }
    let tasks = upstreams.indices.map { base in Task { await read(base) } }
    let isRunning = contents.withLock { contents in
      guard case .running(_, let alarm) = contents.tasks else { return false }
      contents.tasks = .running(tasks, alarm: alarm)
      return true
    }
    // Ended meanwhile: no task has a turn, but one may be about to wait for its turn.
    if !isRunning { end(tasks) }
  }

  private func read(_ base: Int) async {
    let (upstream, turns) = upstreams[base]
    do throws(State.Failure) {
      try await upstream.read {
        await turns.wait {}
        return isOpen
      } _: { element in
        let now = time.now()
        act { $0.receive(element, from: base, at: now) }
      }
      act { $0.end(base, failure: nil) }
    } catch {
      act { $0.end(base, failure: error) }
    }
  }

  /// Whether the bases are still to be read.
  private var isOpen: Bool {
    contents.withLock { contents in
      if case .ended = contents.tasks { false } else { true }
    }
  }

  private func sleep(until alarm: Duration) {
    let task = Task {
      await time.sleep(alarm)
      let now = time.now()
      act { $0.wake(at: now) }
    }
    let isRunning = contents.withLock { contents in
      guard case .running(let tasks, _) = contents.tasks else { return false }
      contents.tasks = .running(tasks, alarm: task)
      return true
    }
    if !isRunning { task.cancel() }
  }

  private func endTasks() {
    let tasks: [Task<Void, Never>] = contents.withLock { contents in
      defer { contents.tasks = .ended }
      guard case .running(let tasks, let alarm) = contents.tasks else { return [] }
      return tasks + (alarm.map { [$0] } ?? [])
    }
    end(tasks)
  }

  private func end(_ tasks: [Task<Void, Never>]) {
    for task in tasks { task.cancel() }
    for (_, turns) in upstreams { turns.signal() }
  }
}

/// The one iterator of an operator, or its copies: with the last of them the sequence ends.
///
/// The tasks of an operator hold the storage, and nothing that they hold holds this.
final class IteratorLifetime<State: OperatorState>: Sendable {
  let storage: OperatorStorage<State>

  init(_ storage: OperatorStorage<State>) {
    self.storage = storage
  }

  deinit {
    storage.cancel()
  }
}
