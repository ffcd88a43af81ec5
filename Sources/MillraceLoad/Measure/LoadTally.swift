import Millrace

/// The figures of a run, while it is measured.
///
/// All times are nanoseconds since the start of the measured part. A request that was due before it, in the warm-up, is left out.
struct LoadTally: Sendable {
  /// The number of slices.
  static let sliceCount = 100

  private(set) var counts = LoadCounts()
  /// Requests that finished within the measured part.
  private(set) var finishedInTime = 0
  /// From the time a request was due to its end.
  private(set) var latency = LoadLatency()
  /// From the time a request was sent to its end.
  private(set) var uncorrected = LoadLatency()
  /// The part of the time between due and sent in which the generator was not inside a send.
  private(set) var ownLateness = Histogram()
  private(set) var slices = [LoadSlice](repeating: LoadSlice(), count: sliceCount)
  private(set) var rejections: [Rejection.Kind: Int] = [:]
  /// The error of the first request that failed.
  private(set) var firstError: String?
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

  /// Counts the end of a request that was sent.
  ///
  /// - Parameter began: the time at which it was sent; nil if its latency is not measured.
  mutating func end(_ outcome: Outcome, due: Int64, began: Int64?, ended: Int64) {
    guard due >= 0 else { return }
    if case .rejected(let rejection) = outcome {
      counts.rejected += 1
      rejections[rejection.kind, default: 0] += 1
      slices[slice(at: due)].rejected += 1
      return
    }
    counts.settled += 1
    let isInTime = ended < sliceLength * Int64(slices.count)
    if isInTime { slices[slice(at: ended)].settled += 1 }
    switch outcome {
    case .finished: if isInTime { finishedInTime += 1 }
    case .rejected: break
    case .failed(let error):
      counts.failed += 1
      if firstError == nil { firstError = String(describing: error) }
    case .timedOut: counts.timedOut += 1
    case .cancelled, .superseded, .shutDown, .abandoned: counts.cancelled += 1
    }
    guard let began else { return }
    latency.histogram.record(nanoseconds: ended - due)
    uncorrected.histogram.record(nanoseconds: ended - began)
    slices[slice(at: due)].latency.record(nanoseconds: ended - due)
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
