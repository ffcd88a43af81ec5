/// Where an action comes from, if it comes from a run or with a trace; ids only, so that a chain of runs holds nothing.
@usableFromInline
package final class Lineage: Sendable {
  @usableFromInline let parent: RunID?
  @usableFromInline let root: RunID?
  @usableFromInline let trace: TraceContext?

  /// Whether the trace is the parent's.
  let inheritsTrace: Bool

  private init(parent: RunID?, root: RunID?, trace: TraceContext?, inheritsTrace: Bool) {
    self.parent = parent
    self.root = root
    self.trace = trace
    self.inheritsTrace = inheritsTrace
  }

  /// The lineage of an action that is sent now, from this task.
  @usableFromInline
  static func ofSender(trace: TraceContext? = nil) -> Lineage? {
    guard let sender = Ticket.current.get() else { return without(sender: trace) }
    return of(sender, trace: trace)
  }

  /// The lineage of an action that this run sends.
  @usableFromInline
  static func of(_ sender: Ticket, trace: TraceContext? = nil) -> Lineage {
    let inherited = sender.lineage?.trace
    return Lineage(
      parent: sender.runID, root: sender.root, trace: trace ?? inherited,
      inheritsTrace: trace == nil || trace == inherited)
  }

  /// The lineage of an action that comes from no run.
  @usableFromInline
  static func without(sender trace: TraceContext?) -> Lineage? {
    trace.map { Lineage(parent: nil, root: nil, trace: $0, inheritsTrace: false) }
  }
}
