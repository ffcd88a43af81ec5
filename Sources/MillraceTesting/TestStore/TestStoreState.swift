import Millrace

/// The events of a test store, the asserted ones of them, and the tasks that wait for more: a value without tasks and locks.
///
/// Each event returns who is to be woken once the lock around this value was released.
struct TestStoreState<Action, Mutation, State, Waiter> {
  /// A mutation that was committed, and what it led to.
  struct Commit {
    var mutation: Mutation
    var revision: Int
    /// The action that brought it about.
    var action: Action
    var state: State
    /// The action whose acceptance it was part of; nil if a handler, or an action that had to wait, committed it.
    var step: ActionID?
  }

  /// An action that was accepted and has no outcome.
  struct OpenAction {
    var id: ActionID
    var action: Action
    /// Whether the handler of another action sent it.
    var hasParent: Bool
    /// The line of the test that sent the action.
    var location: TestLine?
    /// The time on the store's clock when it was accepted, if that is a test clock.
    var since: Duration?
    var commits = 0
  }

  typealias Wish = TestStoreWait.Wish
  typealias Answer = TestStoreWait.Answer

  struct Wake {
    var waiter: Waiter
    /// The event for the waiter; nil if it was cancelled.
    var answer: Answer?
  }

  /// The commits that were not asserted, in order.
  private(set) var unasserted: [Commit] = []
  /// The open actions, in accepted order.
  private(set) var open: [OpenAction] = []
  /// The state after all that was asserted.
  private(set) var expected: State
  /// The revision of that state.
  private(set) var assertedRevision = 0
  /// Whether a handler's work was not awaited: an action was open when its step was over, and the test has not finished
  /// since.
  private(set) var needsFinish = false

  private let hasOtherSenders: Bool
  private var revision = 0
  private var revisionBeforeStep = 0
  private var waiting: [(id: Int, wish: Wish, waiter: Waiter)] = []
  private var lastID = 0

  /// - Parameter hasOtherSenders: whether actions may come from elsewhere than the test and the handlers, so that a
  ///   store without an open action may still commit.
  init(expected: State, hasOtherSenders: Bool) {
    self.expected = expected
    self.hasOtherSenders = hasOtherSenders
  }

  // MARK: What the store tells

  mutating func accepted(_ action: OpenAction) {
    open.append(action)
    revisionBeforeStep = revision
  }

  mutating func committed(_ commit: Commit, of id: ActionID) -> [Wake] {
    unasserted.append(commit)
    revision = commit.revision
    if let index = open.firstIndex(where: { $0.id == id }) { open[index].commits += 1 }
    return wakeReady()
  }

  /// The step is over in which the action was accepted; what was committed since then belongs to it.
  mutating func stepEnded(of id: ActionID) {
    for index in unasserted.indices.reversed() {
      guard unasserted[index].revision > revisionBeforeStep else { break }
      unasserted[index].step = id
    }
    if isOpen(id) { needsFinish = true }
  }

  mutating func ended(_ id: ActionID) -> [Wake] {
    open.removeAll { $0.id == id }
    return wakeReady()
  }

  // MARK: What the test asks

  /// Returns the line where the test has sent an action, if the action is still open.
  mutating func sent(_ id: ActionID, at location: TestLine) {
    guard let index = open.firstIndex(where: { $0.id == id }) else { return }
    open[index].location = location
  }

  /// Takes the first commit that is not asserted.
  mutating func takeFirst() -> Commit? {
    guard !unasserted.isEmpty else { return nil }
    let commit = unasserted.removeFirst()
    moveOn(to: commit)
    return commit
  }

  /// Takes all that is not asserted.
  mutating func takeAll() -> [Commit] {
    defer { unasserted = [] }
    if let last = unasserted.last { moveOn(to: last) }
    return unasserted
  }

  /// Takes what came before the step in which the action was accepted, and what that committed; nothing if it committed
  /// nothing.
  mutating func takeStep(of id: ActionID) -> (before: [Commit], step: [Commit]) {
    guard let start = unasserted.firstIndex(where: { $0.step == id }) else { return ([], []) }
    let end = unasserted[start...].firstIndex { $0.step != id } ?? unasserted.endIndex
    let (before, step) = (Array(unasserted[..<start]), Array(unasserted[start..<end]))
    moveOn(to: unasserted[end - 1])
    unasserted.removeFirst(end)
    return (before, step)
  }

  /// The test has waited for the end of all that it began, or has said so.
  mutating func finished() {
    needsFinish = false
  }

  private mutating func moveOn(to commit: Commit) {
    expected = commit.state
    assertedRevision = commit.revision
  }

  // MARK: Waiting

  /// Whether nothing will be committed unless the test does something.
  var isQuiet: Bool { open.isEmpty && !hasOtherSenders }

  /// A number that no other waiter has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func wait(for wish: Wish, _ waiter: Waiter, id: Int, isCancelled: Bool) -> [Wake] {
    if isCancelled { return [Wake(waiter: waiter, answer: nil)] }
    if let answer = answer(to: wish) { return [Wake(waiter: waiter, answer: answer)] }
    waiting.append((id, wish, waiter))
    return []
  }

  /// Resumes a waiter without its event; nothing is left to do when it was woken before.
  mutating func giveUp(_ id: Int, _ answer: Answer?) -> [Wake] {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return [] }
    return [Wake(waiter: waiting.remove(at: index).waiter, answer: answer)]
  }

  private mutating func wakeReady() -> [Wake] {
    var (woken, left): ([Wake], [(id: Int, wish: Wish, waiter: Waiter)]) = ([], [])
    for entry in waiting {
      if let answer = answer(to: entry.wish) {
        woken.append(Wake(waiter: entry.waiter, answer: answer))
      } else {
        left.append(entry)
      }
    }
    waiting = left
    return woken
  }

  private func answer(to wish: Wish) -> Answer? {
    switch wish {
    case .commit(let asserted): revision > asserted ? .fulfilled : isQuiet ? .quiet : nil
    case .end(let id): isOpen(id) ? nil : .fulfilled
    case .quiet: open.isEmpty ? .fulfilled : nil
    }
  }

  private func isOpen(_ id: ActionID) -> Bool {
    open.contains { $0.id == id }
  }
}

extension TestStoreState.Commit: Sendable where Action: Sendable, Mutation: Sendable, State: Sendable {}
extension TestStoreState.OpenAction: Sendable where Action: Sendable {}
extension TestStoreState.Wake: Sendable where Waiter: Sendable {}
