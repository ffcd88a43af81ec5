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

  /// Whether the trace is that of the parent, not one that was given with the action.
  let inheritsTrace: Bool

  package init(run: RunID, parent: RunID?, root: RunID, trace: TraceContext?, inheritsTrace: Bool = false) {
    self.run = run
    self.parent = parent
    self.root = root
    self.trace = trace
    self.inheritsTrace = inheritsTrace
  }
}

// MARK: W3C Trace Context

extension RunContext {
  /// The value of the `traceparent` header for calls that the run makes: its trace and flags, and the run as the caller.
  ///
  /// It is the same for every call and every attempt of the run, and of no other run of this process or another one. Nil if the
  /// run has no trace, or one whose ``TraceContext/traceparent`` is invalid; ``TraceContext/new(using:isSampled:)`` begins one.
  public var traceparent: String? {
    guard let caller = trace.flatMap({ TraceParent($0.traceparent) }) else { return nil }
    return TraceParent(traceID: caller.traceID, parentID: spanID(in: caller.traceID), flags: caller.flags).description
  }

  /// The value of the `tracestate` header for those calls: as it came, or nil where ``traceparent`` is nil.
  public var tracestate: String? {
    traceparent == nil ? nil : trace?.tracestate
  }

  /// The id of the run's span.
  func spanID(in traceID: UInt128) -> UInt64 { SpanID.of(run, in: traceID) }

  /// The id of the span that the run's is a part of: the sender's, or the one that its own trace names.
  func parentSpanID(in traceID: UInt128, caller: TraceParent?) -> UInt64? {
    if let caller, !inheritsTrace { return caller.parentID }
    return parent.map { SpanID.of($0, in: traceID) } ?? caller?.parentID
  }
}
