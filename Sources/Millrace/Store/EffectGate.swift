/// Whether an effect may still send, and the submits of it that wait.
final class EffectGate: Sendable {
  private let submits = StoreTasks()

  var isOpen: Bool { submits.isOpen }

  /// Lets nothing pass any more; submits that wait are cancelled.
  func close() { submits.end() }

  /// Submits, unless the gate is closed before the action is accepted.
  func submit(_ submit: @escaping @Sendable () async throws -> Receipt) async throws -> Receipt {
    guard isOpen else { throw CancellationError() }
    let number = submits.next()
    let task = Task.immediate {
      defer { submits.hasReturned(number) }
      return try await submit()
    }
    submits.hasBegun(number) { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// Sends what comes while the gate is open; what comes later is never accepted.
struct GatedTaking<Action: Sendable>: ActionTaking {
  let target: Sender<Action>
  let gate: EffectGate

  func send(_ action: Action) -> Receipt {
    gate.isOpen ? target.send(action) : .unsent
  }

  func send(_ action: Action, context: TraceContext) -> Receipt {
    gate.isOpen ? target.send(action, context: context) : .unsent
  }

  func send(contentsOf actions: some Sequence<Action>) -> BatchReceipt {
    if gate.isOpen { return target.send(contentsOf: actions) }
    var batch = BatchReceipt()
    for _ in actions { batch.add(.unsent) }
    return batch
  }

  func submit(_ action: Action) async throws -> Receipt {
    try await gate.submit { try await target.submit(action) }
  }
}
