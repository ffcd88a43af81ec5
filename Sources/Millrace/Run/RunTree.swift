/// A group of actions that is awaited and cancelled as one: the actions sent in it, and all that their runs send.
///
/// ```swift
/// let tree = RunTree()
/// store.send(.restock, in: tree)
/// await withTaskCancellationHandler {
///   await tree.waitForEnd()
/// } onCancel: {
///   tree.cancel()
/// }
/// ```
///
/// **Members.** An action belongs to the tree that it is sent in, otherwise to the tree of the run that sends it, in whichever
/// store: by the run, or by a store in the handler's task. A run that several actions share belongs to no tree, because others may
/// wait for it; the tree has the actions that share it, and not the actions that the shared run sends.
///
/// **Lifetime.** The tree holds its actions until they end, and no longer: a chain of a million actions of which each sends the
/// next has one in it at a time. It holds no store. An action that was decided at once and sent by a store in the handler's
/// task is never in it.
///
/// A tree may be used from any thread. An action in no tree costs nothing for it.
public final class RunTree: Sendable {
  private struct Members {
    var open: [ObjectIdentifier: any RunTreeMember] = [:]
    var isCancelled = false
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }

  private let members = Lock(Members())

  /// Creates a tree without an action.
  public init() {}

  /// Whether the tree was cancelled.
  public var isCancelled: Bool { members.withLock { $0.isCancelled } }

  /// The number of actions that have not ended.
  package var openCount: Int { members.withLock { $0.open.count } }

  /// Returns when all actions of the tree have ended, at once if there is none.
  ///
  /// A run sends before it ends, so only other code can send in the tree later. Cancelling the task that
  /// waits here neither cancels the actions nor ends the wait.
  public func waitForEnd() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let hasEnded: Bool = members.withLock { members in
        if members.open.isEmpty { return true }
        members.waiting.append(continuation)
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }

  /// Cancels all actions of the tree, whether they wait or run, and each action that is sent in it from now on.
  ///
  /// Each is cancelled as by ``Receipt/cancel()``: when this returns, the actions accepted before have their outcomes, one after
  /// the other. Of an action that shares a run only its own part ends; the run continues while others share it. A handler that
  /// ignores its cancellation can send by ``Run/send(_:)`` no more; what it sends by a store is cancelled, unless it is decided at
  /// once.
  public func cancel() {
    let open = members.withLock { members in
      members.isCancelled = true
      return Array(members.open.values)
    }
    for member in open { member.cancel(waits: true) }
  }

  /// Adds an action until it is removed; cancels it if the tree is cancelled.
  func add(_ member: some RunTreeMember) {
    let isCancelled = members.withLock { members in
      members.open[ObjectIdentifier(member)] = member
      return members.isCancelled
    }
    if isCancelled { member.cancel(waits: false) }
  }

  /// Removes an action that has ended or is not sent; without the store's lock.
  func remove(_ member: some RunTreeMember) {
    let waiting: [UnsafeContinuation<Void, Never>] = members.withLock { members in
      members.open[ObjectIdentifier(member)] = nil
      if !members.open.isEmpty { return [] }
      defer { members.waiting = [] }
      return members.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// An action that is added to a tree when it is sent, and removed when it has ended.
protocol RunTreeMember: AnyObject, Sendable {
  /// Ends the action as cancelled: before this returns if it waits, otherwise soon.
  func cancel(waits: Bool)
}
