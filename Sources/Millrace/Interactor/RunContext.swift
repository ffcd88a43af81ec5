/// Distinguishes one action of a store from every other one of that store.
///
/// Ids are unique in one store. They are not an order: an action that was sent while another thread had the store's lock is
/// numbered apart from those that found it free.
public struct ActionID: Sendable, Hashable, CustomStringConvertible {
  /// The id as a number.
  @usableFromInline package let number: UInt64

  @inlinable
  package init(number: UInt64) {
    self.number = number
  }

  /// The id of the `count`th action that was taken up at once.
  @inlinable
  static func takenAtOnce(_ count: Int) -> ActionID {
    ActionID(number: UInt64(count) << 2)
  }

  /// The id of the `count`th action that was queued for the holder.
  @inlinable
  static func queued(_ count: Int) -> ActionID {
    ActionID(number: UInt64(count) << 2 | 1)
  }

  /// The id of the `count`th action that was rejected because too many were queued.
  static func refused(_ count: Int) -> ActionID {
    ActionID(number: UInt64(count) << 2 | 2)
  }

  /// The number behind a sign.
  public var description: String { "#\(number)" }
}

/// Distinguishes one run from every other one of this process, or of its simulated world: the store it is in, and its action there.
public struct RunID: Sendable, Hashable, CustomStringConvertible {
  /// The number of the store; stores are numbered when their first action is handled, those of a simulated world from -1 down.
  package let store: Int

  /// The action that is handled.
  public let action: ActionID

  package init(store: Int, action: ActionID) {
    self.store = store
    self.action = action
  }

  /// The action's id and the store's number.
  public var description: String { "\(action)@\(store)" }
}

/// The cause of a commit: an action, and the run or caller that sent it.
///
/// One word; all commits of one run share it.
public struct Cause<Action: Sendable>: Sendable {
  @usableFromInline
  final class Content: Sendable {
    @usableFromInline let action: Action
    @usableFromInline let context: RunContext

    @inlinable
    init(action: Action, context: RunContext) {
      self.action = action
      self.context = context
    }
  }

  @usableFromInline let content: Content

  @inlinable
  init(action: Action, context: RunContext) {
    content = Content(action: action, context: context)
  }

  /// The action; of a run that is shared, the first of those that share it.
  @inlinable public var action: Action { content.action }

  /// The action's id, as on its receipt.
  @inlinable public var id: ActionID { content.context.run.action }

  /// The run, the one whose handler sent the action, where the chain of these began, and the trace.
  @inlinable public var context: RunContext { content.context }
}

/// The context of a run: its id, the run whose handler sent its action, the first run of that chain, and its trace.
public struct RunContext: Sendable, Hashable {
  /// The run.
  public let run: RunID

  /// The run whose handler sent the action, or nil; it may be a run of another store.
  public let parent: RunID?

  /// The first run of the chain: the run itself when it has no parent.
  public let root: RunID

  /// The trace the action belongs to: given with ``Store/send(_:context:in:key:confirming:)``, or the trace of the parent.
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

/// The ids by which tracing systems know a run.
package enum SpanID {
  /// Distinguishes this process from the others that take part in a trace, whose stores and actions are numbered the same.
  package static let processSeed = UInt64.random(in: .min ... .max)

  /// The id of a run's span; never 0, and no other run of the store has it in that trace.
  ///
  /// Each step is a bijection of 64 bits, so that actions of one store cannot meet, and others are as likely to as random
  /// numbers.
  static func of(_ run: RunID, in trace: UInt128, seed: UInt64 = processSeed) -> UInt64 {
    of(run.action.number, salt: mix(salt(trace, seed) ^ UInt64(bitPattern: Int64(run.store))))
  }

  /// A number that is not 0 and differs for each number but the last one, which no action has.
  static func of(_ number: UInt64, salt: UInt64) -> UInt64 {
    let id = mix(salt ^ number)
    return id == 0 ? mix(salt ^ .max) : id
  }

  /// The id of the trace that begins with a run to which no trace was given; never 0.
  static func trace(from root: RunID, seed: UInt64 = processSeed) -> UInt128 {
    UInt128(of(root, in: 1, seed: seed)) << 64 | UInt128(of(root, in: 2, seed: seed))
  }

  private static func salt(_ trace: UInt128, _ seed: UInt64) -> UInt64 {
    mix(mix(seed ^ UInt64(truncatingIfNeeded: trace)) ^ UInt64(truncatingIfNeeded: trace >> 64))
  }

  /// The finalizer of SplitMix64, by Steele, Lea and Flood.
  private static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
