/// The numbers of requests in the measured part of a run: sent, ended in each way, in flight and not sent.
///
/// ``sent`` = ``settled`` + ``rejected`` + ``inFlight``, always. ``unsent`` is apart from these.
public struct LoadCounts: Sendable, Equatable {
  /// Requests given to the system.
  public internal(set) var sent = 0

  /// Requests that have ended otherwise than by a rejection: finished, failed, cancelled or timed out.
  public internal(set) var settled = 0

  /// Requests that the system rejected.
  public internal(set) var rejected = 0

  /// Requests that have failed; part of ``settled``.
  public internal(set) var failed = 0

  /// Requests that were cancelled, superseded, or cut by a shutdown; part of ``settled``.
  public internal(set) var cancelled = 0

  /// Requests whose time limit was over; part of ``settled``.
  public internal(set) var timedOut = 0

  /// Requests that were due and not sent, because as many as allowed were in flight.
  public internal(set) var unsent = 0

  /// Requests that had not ended when the run did.
  public var inFlight: Int { sent - settled - rejected }

  /// Requests that have finished; part of ``settled``.
  public var finished: Int { settled - failed - cancelled - timedOut }

  /// Counts of nothing.
  package init() {}
}
