import Millrace

/// Sends requests to the users of a run and records how they end.
struct RequestSender: Sendable {
  let targets: [any LoadTarget]
  let recorder: LoadRecorder
  let inFlight: InFlight
  let time: TimeSource
  /// The start of the measured part, in the time of the clock.
  let origin: Int64

  /// The result of sending a request.
  enum Sent {
    /// The request was not sent, because as many as allowed are in flight.
    case not
    /// The request has ended.
    case ended(Outcome)
    /// The request is in flight: to be counted as sent, and then to be awaited.
    case open(LoadStart)
  }

  /// The time since the start of the measured part, in nanoseconds.
  var now: Int64 { time.now() - origin }

  /// Sends a request and records nothing.
  func send(_ number: Int) -> Sent {
    guard !inFlight.isFull else { return .not }
    let user = number % targets.count
    let start = targets[user].begin(LoadRequest(user: user, number: number))
    if case .ended(let outcome) = start { return .ended(outcome) }
    inFlight.begin()
    return .open(start)
  }

  /// Awaits the end of a request in flight, in a task of its own, and records it.
  func await(_ start: LoadStart, number: Int, due: Int64, began: Int64?) {
    switch start {
    case .ended: preconditionFailure("A request that has ended is not in flight.")
    case .sent(let receipt):
      // The receipt answers in every case, so that no code has to cancel this task.
      Task.immediateDetached {
        finish(await receipt.outcome, due: due, began: began)
        inFlight.end()
      }
    case .due(let perform):
      inFlight.perform(number) { finish(await perform(), due: due, began: began) }
    }
  }

  /// Records the end of a request that was counted as sent.
  func finish(_ outcome: Outcome, due: Int64, began: Int64?) {
    let ended = now
    recorder.add(at: ended) { $0.end(outcome, due: due, began: began, ended: ended) }
  }
}
