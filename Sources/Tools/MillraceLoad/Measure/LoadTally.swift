public import Millrace

/// The figures of a run, while it is measured.
///
/// All times are nanoseconds since the start of the measured part. A request that was due before it, in the warm-up, is left out.
struct LoadTally: Sendable {
  /// The number of slices.
  static let sliceCount = 100

  /// The number of error texts that are told apart; a system may put a number of its own into each.
  static let errorLimit = 50

  /// The name under which the errors beyond ``errorLimit`` are counted.
  static let otherErrors = "other errors"

  private(set) var counts = LoadCounts()
  /// Requests that finished within the measured part.
  private(set) var finishedInTime = 0
  /// From the time a request was due to its end, of those that finished.
  private(set) var latency = LoadLatency()
  /// From the time a request was sent to its end, of those that finished.
  private(set) var uncorrected = LoadLatency()
  /// From the time a request was due to its end, of those that ended otherwise and were not rejected.
  private(set) var failureLatency = LoadLatency()
  /// The part of the time between due and sent in which the generator was not inside a send.
  private(set) var ownLateness = Histogram()
  private(set) var slices = [LoadSlice](repeating: LoadSlice(), count: sliceCount)
  private(set) var rejections: [Rejection.Kind: Int] = [:]
  /// Requests by the status of their HTTP answer.
  private(set) var statuses: [Int: Int] = [:]
  /// Failed requests by the text of their error.
  private(set) var errors: [String: Int] = [:]
  /// The first slice of which the process was not read.
  private var unreadSlice = 0
  private let sliceLength: Int64

  init(duration: Duration) {
    sliceLength = max(duration.nanoseconds / Int64(Self.sliceCount), 1)
  }

  /// Counts a request that was given to the system.
  mutating func send(due: Int64) {
    guard due >= 0 else { return }
    counts.sent += 1
    slices[slice(at: due)].sent += 1
  }

  /// Counts a request that was due and is not sent.
  mutating func leaveUnsent(due: Int64) {
    guard due >= 0 else { return }
    counts.unsent += 1
    slices[slice(at: due)].unsent += 1
  }

  /// Counts the end of a request that was sent, without an HTTP answer.
  mutating func end(_ outcome: Outcome, due: Int64, began: Int64?, ended: Int64) {
    end(LoadEnd(outcome), due: due, began: began, ended: ended)
  }

  /// Counts the end of a request that was sent.
  ///
  /// - Parameter began: the time at which it was sent; nil if its latency is not measured.
  mutating func end(_ end: LoadEnd, due: Int64, began: Int64?, ended: Int64) {
    guard due >= 0 else { return }
    count(end, due: due)
    if case .rejected = end.outcome { return }
    let isFinished = end.outcome.kind == .finished
    if ended < sliceLength * Int64(slices.count) {
      if isFinished {
        finishedInTime += 1
        slices[slice(at: ended)].finished += 1
      } else {
        slices[slice(at: ended)].failed += 1
      }
    }
    guard let began else { return }
    guard isFinished else { return failureLatency.histogram.record(nanoseconds: ended - due) }
    latency.histogram.record(nanoseconds: ended - due)
    uncorrected.histogram.record(nanoseconds: ended - began)
    slices[slice(at: due)].latency.record(nanoseconds: ended - due)
  }

  private mutating func count(_ end: LoadEnd, due: Int64) {
    if let status = end.status { statuses[status, default: 0] += 1 }
    switch end.outcome {
    case .finished: counts.finished += 1
    case .failed:
      counts.failed += 1
      let text = end.errorText ?? ""
      errors[errors[text] != nil || errors.count < Self.errorLimit ? text : Self.otherErrors, default: 0] += 1
    case .timedOut: counts.timedOut += 1
    case .superseded: counts.superseded += 1
    case .cancelled, .shutDown, .abandoned, .leftOpen: counts.cancelled += 1
    case .rejected(let rejection):
      counts.rejected += 1
      rejections[rejection.kind, default: 0] += 1
      slices[slice(at: due)].rejected += 1
    }
  }

  /// Counts how late a request was sent through the generator's own fault.
  mutating func addOwnLateness(_ lateness: Int64, due: Int64) {
    guard due >= 0 else { return }
    ownLateness.record(nanoseconds: lateness)
  }

  /// Whether a slice has ended of which the process has not been read.
  func needsReading(at now: Int64) -> Bool {
    now >= sliceLength * Int64(unreadSlice + 1) && unreadSlice < slices.count
  }

  /// Stores a reading of the process in the slice that ended last.
  mutating func add(_ reading: ProcessReading, at now: Int64) {
    guard needsReading(at: now) else { return }
    unreadSlice = min(Int(now / sliceLength), slices.count)
    slices[unreadSlice - 1].inFlight = counts.inFlight
    slices[unreadSlice - 1].memory = reading.memory
    slices[unreadSlice - 1].descriptors = reading.descriptors
  }

  private func slice(at time: Int64) -> Int {
    min(max(Int(time / sliceLength), 0), slices.count - 1)
  }
}

/// The numbers of requests in the measured part of a run: sent, ended in each way, in flight and not sent.
///
/// ``sent`` = ``finished`` + ``failed`` + ``timedOut`` + ``cancelled`` + ``superseded`` + ``rejected`` + ``inFlight``, always.
/// ``unsent`` is apart from these.
public struct LoadCounts: Sendable, Equatable {
  /// Requests given to the system.
  public internal(set) var sent = 0

  /// Requests that have finished: the successes.
  public internal(set) var finished = 0

  /// Requests that have failed.
  public internal(set) var failed = 0

  /// Requests whose time limit was over.
  public internal(set) var timedOut = 0

  /// Requests that were cancelled, abandoned, or cut by a shutdown.
  public internal(set) var cancelled = 0

  /// Requests replaced by a later one of their key.
  public internal(set) var superseded = 0

  /// Requests that the system rejected.
  public internal(set) var rejected = 0

  /// Requests that were due and not sent, because as many as allowed were in flight.
  public internal(set) var unsent = 0

  /// Requests that had not ended when the run did.
  public var inFlight: Int { sent - finished - failures - rejected }

  /// Requests that were due: those sent, and those not sent.
  public var offered: Int { sent + unsent }

  /// Requests that have ended, neither finished nor rejected.
  var failures: Int { failed + timedOut + cancelled + superseded }

  /// Counts of nothing.
  package init() {}
}

/// The latencies of requests.
///
/// Each figure is nil where no request was measured, so that no comparison takes a run without one for a fast run.
public struct LoadLatency: Sendable, Equatable {
  /// All of them; a quantile is at most 0.79 % off.
  public internal(set) var histogram = Histogram()

  /// The median.
  public var p50: Duration? { histogram.quantile(0.5) }
  /// The 90th percentile.
  public var p90: Duration? { histogram.quantile(0.9) }
  /// The 99th percentile.
  public var p99: Duration? { histogram.quantile(0.99) }
  /// The 99.9th percentile.
  public var p999: Duration? { histogram.quantile(0.999) }
  /// The longest latency, exactly.
  public var max: Duration? { histogram.maximum }

  /// The figures as reports show them, in their order, each with its name.
  var figures: [(name: String, value: Duration?)] {
    [("p50", p50), ("p90", p90), ("p99", p99), ("p99.9", p999), ("max", max)]
  }
}

/// The tally of a run, for all the threads that add to it.
final class LoadRecorder: Sendable {
  private let tally: Lock<LoadTally>

  init(duration: Duration) {
    tally = Lock(LoadTally(duration: duration))
  }

  /// Adds to the tally in one step, and reads the process when a slice has ended.
  func add(at now: Int64, _ change: (inout sending LoadTally) -> Void) {
    let needsReading = tally.withLock { tally in
      change(&tally)
      return tally.needsReading(at: now)
    }
    guard needsReading else { return }
    let reading = ProcessReading.now
    tally.withLock { $0.add(reading, at: now) }
  }

  /// The tally so far.
  var figures: LoadTally { tally.withLock { $0 } }
}
