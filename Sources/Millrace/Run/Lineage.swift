/// Where an action comes from, if it comes from a run or with a trace; ids only, so that a chain of runs holds nothing.
@usableFromInline
package final class Lineage: Sendable {
  let parent: RunID?
  let root: RunID?
  let trace: TraceContext?

  private init(parent: RunID?, root: RunID?, trace: TraceContext?) {
    self.parent = parent
    self.root = root
    self.trace = trace
  }

  /// The lineage of an action that is sent now, from this task.
  @usableFromInline
  static func ofSender(trace: TraceContext? = nil) -> Lineage? {
    guard let sender = Ticket.current.get() else { return without(sender: trace) }
    return Lineage(parent: sender.runID, root: sender.root, trace: trace ?? sender.lineage?.trace)
  }

  /// The lineage of an action that comes from no run.
  @usableFromInline
  static func without(sender trace: TraceContext?) -> Lineage? {
    trace.map { Lineage(parent: nil, root: nil, trace: $0) }
  }
}
