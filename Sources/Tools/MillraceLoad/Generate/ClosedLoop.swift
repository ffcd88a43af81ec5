import Millrace

/// Clients that send a request when their last one has ended.
struct ClosedLoop: Sendable {
  /// The number of requests after which a client yields its thread, because requests that never suspend would keep others
  /// from theirs.
  private static let patience = 64

  let sender: RequestSender
  let concurrency: Int
  let thinkTime: Duration
  /// The end of the measured part.
  let end: Int64

  /// Begins a task for each client; it ends at the end of the measured part, or when it is cancelled.
  func begin() {
    for client in 0..<concurrency where !sender.inFlight.isFull {
      sender.inFlight.begin()
      sender.inFlight.perform(client) { await sendRequests(of: client) }
    }
  }

  private func sendRequests(of client: Int) async {
    let user = client % sender.targets.count
    var (number, sinceYield) = (client, 0)
    while !Task.isCancelled {
      let began = sender.now
      guard began < end else { return }
      let start = sender.targets[user].begin(LoadRequest(user: user, number: number))
      number += concurrency
      sender.recorder.add(at: began) { $0.send(due: began) }
      if case .ended(let outcome) = start {
        sender.finish(LoadEnd(outcome), due: began, began: began)
      } else {
        sender.finish(await end(of: start), due: began, began: began)
      }
      sinceYield += 1
      if thinkTime > .zero {
        try? await sender.time.sleep(until: sender.time.now() + thinkTime.nanoseconds)
      } else if sinceYield == Self.patience {
        sinceYield = 0
        await Task.yield()
      }
    }
  }

  private func end(of start: LoadStart) async -> LoadEnd {
    switch start {
    case .ended(let outcome): LoadEnd(outcome)
    case .sent(let receipt): LoadEnd(await receipt.outcome)
    case .due(let perform): await perform()
    }
  }
}
