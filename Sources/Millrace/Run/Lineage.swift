/// The origin of an action that comes from a run or with a trace; ids only, so that a chain of runs holds nothing.
@usableFromInline
package final class Lineage: Sendable {
  @usableFromInline let parent: RunID?
  @usableFromInline let root: RunID?
  @usableFromInline let trace: TraceContext?

  /// The tree that the action belongs to.
  @usableFromInline let tree: RunTree?

  /// Whether the trace is the parent's.
  let inheritsTrace: Bool

  private init(parent: RunID?, root: RunID?, trace: TraceContext?, inheritsTrace: Bool, tree: RunTree?) {
    self.parent = parent
    self.root = root
    self.trace = trace
    self.inheritsTrace = inheritsTrace
    self.tree = tree
  }

  /// The lineage of an action that is sent now, from this task.
  @usableFromInline
  static func ofSender(trace: TraceContext? = nil, in tree: RunTree? = nil) -> Lineage? {
    guard let sender = Ticket.current.get() else { return without(sender: trace, in: tree) }
    return of(sender, trace: trace, in: tree)
  }

  /// The lineage of an action that this run sends, in its own tree unless another one is given.
  @usableFromInline
  static func of(_ sender: Ticket, trace: TraceContext? = nil, in tree: RunTree? = nil) -> Lineage {
    let inherited = sender.lineage?.trace
    return Lineage(
      parent: sender.runID, root: sender.root, trace: trace ?? inherited,
      inheritsTrace: trace == nil || trace == inherited, tree: tree ?? sender.lineage?.tree)
  }

  /// The lineage of an action that comes from no run.
  @usableFromInline
  static func without(sender trace: TraceContext?, in tree: RunTree? = nil) -> Lineage? {
    if trace == nil, tree == nil { return nil }
    return Lineage(parent: nil, root: nil, trace: trace, inheritsTrace: false, tree: tree)
  }

  /// The same origin, in no tree.
  @usableFromInline var withoutTree: Lineage {
    if tree == nil { return self }
    return Lineage(parent: parent, root: root, trace: trace, inheritsTrace: inheritsTrace, tree: nil)
  }
}

extension RunContext {
  /// The context of the run whose handler this task is in, or nil.
  ///
  /// It is a task-local value, so it holds in child tasks and in an unstructured `Task` of the handler, not in a detached one.
  public static var current: RunContext? { Ticket.current.get()?.context }
}
