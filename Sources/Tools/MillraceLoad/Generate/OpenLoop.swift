import Millrace

/// Sends the requests of a schedule when they are due; it never waits for the system.
///
/// It waits for the time only, and leaves that to its caller, so that the same loop runs on a thread and on any clock.
struct OpenLoop: Sendable {
  /// The result of a step.
  enum Step: Equatable {
    /// Nothing is due before this time.
    case wait(until: Int64)
    /// All requests were sent.
    case ended
  }

  private let sender: RequestSender
  private var warmUp: ArrivalTimes?
  private let warmUpLength: Int64
  private var arrivals: ArrivalTimes
  /// The number of requests sent at a time, of which the latency of one is measured.
  private let groupSize: Int
  private var number = 0
  /// The times of the requests that are sent next; all are sent when the last of them is due.
  private var group: [Int64] = []

  /// The results of sending the requests of the group.
  private var sent: [RequestSender.Sent] = []

  /// The request sent last: when it began, when the system gave the thread back, and how late the generator made it.
  private var last: (began: Int64, returned: Int64, ownLateness: Int64)?

  /// - Parameters:
  ///   - sender: sends the requests.
  ///   - schedule: when they are due.
  ///   - options: the length of the measured part and of the warm-up, and the seed.
  ///   - groupSize: the number of requests of which the latency of one is measured.
  init(_ sender: RequestSender, _ schedule: LoadSchedule, _ options: LoadOptions, groupSize: Int) {
    self.sender = sender
    self.groupSize = groupSize
    warmUpLength = options.warmUp.nanoseconds
    arrivals = ArrivalTimes(schedule, for: options.duration, seed: options.seed)
    guard options.warmUp > .zero else { return }
    let constant = LoadSchedule.constant(schedule.initialRate)
    warmUp = ArrivalTimes(
      schedule.isRandom ? constant.randomly() : constant, for: options.warmUp, seed: ~options.seed)
  }

  /// Sends all requests that are due.
  ///
  /// - Parameter isStopped: asked before each group; when it says true, nothing more is sent.
  mutating func step(isStopped: () -> Bool) -> Step {
    while true {
      if group.isEmpty { takeGroup() }
      guard let due = group.last, !isStopped() else { return .ended }
      let now = sender.now
      guard due <= now else { return .wait(until: due) }
      sendGroup(at: now)
      group.removeAll(keepingCapacity: true)
    }
  }

  private mutating func takeGroup() {
    while group.count < groupSize, let due = nextDue() { group.append(due) }
  }

  private mutating func nextDue() -> Int64? {
    if let due = warmUp?.next() { return due - warmUpLength }
    return arrivals.next()
  }

  /// Sends the requests of the group, measures the latency of the last one, and records all in one step.
  private mutating func sendGroup(at now: Int64) {
    let first = number
    sent.removeAll(keepingCapacity: true)
    for _ in group.dropLast() { sendNext() }
    let due = group[group.count - 1]
    let began = group.count == 1 ? now : sender.now
    sendNext()
    let returned = sender.now
    let lateness = ownLateness(due: due, began: began)
    last = (began, returned, lateness)
    sender.recorder.add(at: returned) { [sent, group] tally in
      for (index, sent) in sent.enumerated() {
        let isMeasured = index == group.count - 1
        tally.add(sent, due: group[index], began: isMeasured ? began : nil, returned: returned)
      }
      tally.addOwnLateness(lateness, due: due)
    }
    for (index, sent) in sent.enumerated() {
      guard case .open(let start) = sent else { continue }
      sender.await(
        start, number: first + index, due: group[index], began: index == group.count - 1 ? began : nil)
    }
  }

  private mutating func sendNext() {
    sent.append(sender.send(number))
    number += 1
  }

  /// The part of the time between due and began in which the generator was not inside a send.
  ///
  /// A request that was due before the last one had returned was late through the system from then on; of the time before the
  /// last one began, at most as much counts as made that one late.
  private func ownLateness(due: Int64, began: Int64) -> Int64 {
    guard let last, due < last.returned else { return began - due }
    return began - last.returned + max(0, min(last.ownLateness, last.began - due))
  }
}

extension LoadTally {
  /// Counts a request that has just been given to the system, or not.
  fileprivate mutating func add(_ sent: RequestSender.Sent, due: Int64, began: Int64?, returned: Int64) {
    switch sent {
    case .not: leaveUnsent(due: due)
    case .open: send(due: due)
    case .ended(let outcome):
      send(due: due)
      end(outcome, due: due, began: began, ended: returned)
    }
  }
}
