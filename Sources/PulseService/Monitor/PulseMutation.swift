/// A fact about this machine or about a target.
///
/// Times are counted from the start of the service.
enum PulseMutation: Sendable, Equatable {
  /// A sample of the machine is being taken.
  case sampling
  /// The counters of the machine were read.
  case read(MachineReading, at: Duration)
  /// The sample has been taken, or was given up without a reason to show.
  case sampled
  /// The machine could not be read.
  case sampleFailed(reason: String)

  /// A probe of the endpoint is under way.
  case probing(Endpoint)
  /// A probe of the endpoint has ended.
  case probed(Endpoint, Target.Result, at: Duration)
  /// A probe of the endpoint was given up without a result.
  case probeEnded(Endpoint)
}
