/// Learns of the steps of handlers, and may answer them: an interceptor that records runs, or repeats recorded ones.
///
/// It is called in the tasks of handlers, without the store's lock, for the steps, sleeps and waits of a run; not for mutations that are
/// emitted once.
package protocol StepSink: Sendable {
  /// Whether it may answer steps; then a run without a journal rests in sleeps and waits, too, as it did when they were recorded.
  var answersSteps: Bool { get }

  /// Returns the result of a step in place of its body, its sleep or its wait; nil lets the handler do it.
  ///
  /// - Parameters:
  ///   - type: the type of the result.
  ///   - name: the name of the step.
  ///   - handling: the attempt of the run.
  /// - Throws: the error that the step throws: `CancellationError`, or a ``StepFailure`` or a ``StepError`` of the step.
  func answer<Value: Codable & Sendable>(_ type: Value.Type, to name: String, of handling: StepOrigin) async throws
    -> Value?

  /// Notifies that a handler gets the result of a step: a new one, before its mutations are committed, or one that is stored.
  func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of handling: StepOrigin)

  /// Notifies that a handler gets the failure of a step.
  func stepHasFailed(_ error: any Error, _ name: String, of handling: StepOrigin)
}

extension StepSink {
  package var answersSteps: Bool { false }

  package func answer<Value: Codable & Sendable>(
    _ type: Value.Type, to name: String, of handling: StepOrigin
  ) async throws -> Value? { nil }
}

/// The attempt of a run that does a step.
package struct StepOrigin: Hashable, Sendable {
  package let run: RunID
  package let attempt: Int
}

/// The step whose body the current task is in, where the store has a ``StepSink``.
package struct StepScope: Sendable {
  package static let current = TaskLocal<StepScope?>(wrappedValue: nil)

  package let name: String
  package let attempt: Int
}

/// The sinks of a store, for the steps of one run.
@usableFromInline
struct StepSinks: Sendable {
  let sinks: [any StepSink]
  let origin: StepOrigin

  @usableFromInline var answersSteps: Bool { sinks.contains { $0.answersSteps } }

  /// The answer of a sink, or the result of `body`.
  @usableFromInline
  func value<Value: Codable & Sendable>(
    of name: String, _ body: () async throws -> Value
  ) async throws -> Value {
    if let answer = try await answer(Value.self, to: name) { return answer }
    return try await StepScope.current.withValue(StepScope(name: name, attempt: origin.attempt)) { try await body() }
  }

  /// The answer of the first sink that has one.
  func answer<Value: Codable & Sendable>(_ type: Value.Type, to name: String) async throws -> Value? {
    for sink in sinks {
      if let answer = try await sink.answer(type, to: name, of: origin) { return answer }
    }
    return nil
  }

  @usableFromInline
  func hasValue(_ value: any Encodable & Sendable, _ name: String) {
    for sink in sinks { sink.stepHasValue(value, name, of: origin) }
  }

  func hasFailed(_ error: any Error, _ name: String) {
    for sink in sinks { sink.stepHasFailed(error, name, of: origin) }
  }
}
