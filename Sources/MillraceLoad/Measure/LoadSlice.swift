public import Millrace

/// One of the equally long parts into which the measured part of a run is divided, for plots.
public struct LoadSlice: Sendable, Equatable {
  /// Requests that were due in it and were sent.
  public internal(set) var sent = 0
  /// Requests that settled in it; those that settled after the measured part are in none.
  public internal(set) var settled = 0
  /// Requests that were due in it and were rejected.
  public internal(set) var rejected = 0
  /// Requests that were due in it and were not sent.
  public internal(set) var unsent = 0
  /// Latencies of the requests that were due in it.
  public internal(set) var latency = Histogram()
  /// Requests in flight shortly after its end; nil when nothing was sent or settled from then on.
  public internal(set) var inFlight: Int?
  /// Bytes of this process in memory at that time; nil where the system does not tell.
  public internal(set) var memory: Int?
  /// Open descriptors of this process at that time; nil where the system does not tell.
  public internal(set) var descriptors: Int?

  init() {}
}
