import Millrace

/// The answers to questions that are asked side by side.
final class Answers<Value: Sendable>: Sendable {
  private struct State {
    var values: [Value?]
    var missing: Int
    /// Whether the time is over, which may come before the caller waits.
    var isOver = false
    var waiting: CheckedContinuation<[Value?], Never>?
  }

  private let state: Lock<State>

  private init(_ count: Int) { state = Lock(State(values: Array(repeating: nil, count: count), missing: count)) }

  /// Asks questions side by side, and returns the answers in their order; nil for one that has not come within the limit, whose task is cancelled.
  static func collect(
    within limit: Duration, _ clock: any Clock<Duration>, _ questions: [@Sendable () async -> Value]
  ) async -> [Value?] {
    if questions.isEmpty { return [] }
    let answers = Answers(questions.count)
    let tasks = questions.indices.map { index in
      Task { answers.set(await questions[index](), at: index) }
    }
    let timer = Task {
      do { try await clock.sleep(for: limit) } catch { return }
      answers.finish()
    }
    let values = await answers.all()
    timer.cancel()
    for task in tasks { task.cancel() }
    return values
  }

  private func set(_ value: Value, at index: Int) {
    let isLast = state.withLock { state in
      state.values[index] = value
      state.missing -= 1
      return state.missing == 0
    }
    if isLast { finish() }
  }

  /// Returns the answers that have come to the caller that waits, once.
  private func finish() {
    let (waiting, values) = state.withLock { state in
      defer { state.waiting = nil }
      state.isOver = true
      return (state.waiting, state.values)
    }
    waiting?.resume(returning: values)
  }

  private func all() async -> [Value?] {
    await withCheckedContinuation { continuation in
      let values = state.withLock { state -> [Value?]? in
        if state.isOver || state.missing == 0 { return state.values }
        state.waiting = continuation
        return nil
      }
      if let values { continuation.resume(returning: values) }
    }
  }
}
