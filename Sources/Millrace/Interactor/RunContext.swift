/// What a run is part of: its id, the run whose handler sent its action, where the chain of these began, and its trace.
public struct RunContext: Sendable, Hashable {
  /// The run.
  public let run: RunID

  /// The run whose handler sent the action, or nil; it may be a run of another store.
  public let parent: RunID?

  /// The first run of the chain: the run itself when it has no parent.
  public let root: RunID

  /// The trace the action belongs to: given with ``Store/send(_:context:)``, or that of the parent.
  public let trace: TraceContext?

  package init(run: RunID, parent: RunID?, root: RunID, trace: TraceContext?) {
    self.run = run
    self.parent = parent
    self.root = root
    self.trace = trace
  }
}
