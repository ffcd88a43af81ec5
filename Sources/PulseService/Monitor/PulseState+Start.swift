import Foundation

extension PulseState {
  /// Continues in a new process, which may be configured otherwise than the one before.
  ///
  /// History, alerts and counts stay as they are, but for what is not configured any more: an alert that is firing ends with its rule
  /// or its target, and a webhook that is gone gets no more notices.
  ///
  /// Times continue by the clock on the wall, so that an alert that was firing is as old as it looks to a user. An alert that was pending
  /// has to hold for the rest of its time: nothing was observed while no process ran.
  mutating func start(_ configuration: Configuration, at date: Date) {
    // A clock that was set back tells of no pause.
    let now = zero.map { Duration.seconds(date.timeIntervalSince($0)) } ?? .zero
    let pause = max(.zero, now - elapsed)
    elapsed += pause
    origin = elapsed
    for index in alerts.indices { alerts[index].status.shift(by: pause) }
    // Counters of the kernel are compared within a process only, for the machine may have started anew.
    machine.reading = nil
    machine.failure = nil
    rulesFailure = nil
    recordingFailure = nil
    configure(configuration)
  }

  /// Takes this configuration in place of the one there is.
  mutating func configure(_ configuration: Configuration) {
    let receivers = receivers
    self.receivers = configuration.webhooks.map { webhook in
      receivers.first { $0.webhook == webhook } ?? Receiver(webhook: webhook)
    }
    dropChanges()
    let endpoints = Set(configuration.endpoints)
    targets.removeAll { !endpoints.contains($0.endpoint) }
    replaceRules(by: configuration.rules)
  }
}
