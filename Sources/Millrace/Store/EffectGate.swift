import Synchronization

/// Whether an effect may still send.
final class EffectGate: Sendable {
  private let open = Atomic(true)

  var isOpen: Bool { open.load(ordering: .acquiring) }

  func close() { open.store(false, ordering: .releasing) }
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
    guard gate.isOpen else { throw CancellationError() }
    return try await target.submit(action)
  }
}
