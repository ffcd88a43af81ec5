public import Millrace

extension Incident.Kind {
  /// A replica or a projection has ended, because it cannot read what it follows, or cannot decide an event.
  ///
  /// It concerns no action. Reported once for each.
  public static let failedReader = Incident.Kind(name: "failedReader")

  /// The journal that a replica or a projection reads or writes has been unavailable for longer than the deadline, so its state is out of date.
  ///
  /// It concerns no action. Reported once for each outage; the replica or the projection continues when the journal answers.
  public static let lateReader = Incident.Kind(name: "lateReader")
}

/// The task of a replica or a projection, and the way in which it has ended.
final class Follower: Sendable {
  private struct State {
    var failure: JournalError?
    var isEnding = false
  }

  private let state = Lock(State())
  private let task = Lock<Task<Void, Never>?>(nil)

  /// Begins the task.
  ///
  /// - Parameters:
  ///   - name: the beginning of a sentence.
  ///   - type: the interactor.
  ///   - configuration: gets an incident if the task fails.
  ///   - didEnd: ends what the task has followed for.
  ///   - follow: returns when the journal is closed, or the task is cancelled.
  init<I: Interactor>(
    _ name: String, of type: I.Type, _ configuration: StoreConfiguration, didEnd: @escaping @Sendable () async -> Void,
    _ follow: @escaping @Sendable () async throws(JournalError) -> Void
  ) {
    let task = Task.detached { [self] in
      var failure = JournalError.closed
      do throws(JournalError) { try await follow() } catch { failure = error }
      if didFail(failure) {
        configuration.report(
          Incident(.failedReader, of: I.Action.self, error: failure, "\(name) has ended. \(failure.description)"))
      }
      await didEnd()
    }
    self.task.withLock { $0 = task }
  }

  /// Notes the reason for the end, unless the task was to end.
  private func didFail(_ failure: JournalError) -> Bool {
    state.withLock { state in
      if state.isEnding { return false }
      state.failure = failure
      return true
    }
  }

  /// Reports that a journal has been unavailable for longer than the deadline.
  ///
  /// - Parameters:
  ///   - name: The beginning of a sentence.
  ///   - type: The interactor.
  ///   - configuration: The configuration, which gets the incident.
  static func reportsOutages<I: Interactor>(
    _ name: String, of type: I.Type, _ configuration: StoreConfiguration
  ) -> @Sendable (JournalError) -> Void {
    { failure in
      configuration.report(
        Incident(
          .lateReader, of: I.Action.self, error: failure,
          "\(name) is out of date, because its journal does not answer, and continues when it does. \(failure.description)"
        ))
    }
  }

  /// The reason for which the task has ended by itself.
  var failure: JournalError? { state.withLock { $0.failure } }

  /// Performs a wait for the state of the store, whose error is that of the task.
  func waiting(_ wait: () async throws -> Void) async throws {
    do {
      try await wait()
    } catch is StoreError {
      throw failure ?? .closed
    }
  }

  func cancel() {
    state.withLock { $0.isEnding = true }
    task.withLock { $0?.cancel() }
  }

  /// Ends the task, and waits for it.
  func end() async {
    cancel()
    await task.withLock { $0 }?.value
  }
}
