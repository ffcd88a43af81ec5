import Millrace

/// The time that sending and measuring one request takes, without the system's part of it.
enum GeneratorCost {
  /// A user whose requests end at once.
  private struct Idle: LoadTarget {
    func begin(_ request: LoadRequest) -> LoadStart { .ended(.finished) }
    func close() async {}
  }

  /// Nanoseconds a request, measured on this machine: the least of five rounds.
  static func measured() -> Double {
    (0..<5).map { _ in
      let time = TimeSource(ContinuousClock())
      let options = LoadOptions(duration: .milliseconds(1))
      // All are due at once, so that the loop never waits.
      let sender = RequestSender(
        targets: [Idle()], recorder: LoadRecorder(duration: options.duration), inFlight: InFlight(maximum: 1),
        time: time, origin: time.now() - options.duration.nanoseconds)
      var loop = OpenLoop(sender, .constant(2_000_000), options, groupSize: 1)
      let start = time.now()
      _ = loop.step { false }
      return Double(time.now() - start) / 2_000
    }.min() ?? 0
  }

  /// The number of requests of which the latency of one is measured, so that measuring takes at most half of the time there is.
  static func groupSize(at rate: Double, cost: Double) -> Int {
    max(1, Int((2 * rate * cost / 1e9).rounded(.up)))
  }
}
