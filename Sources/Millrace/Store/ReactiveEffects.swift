/// The effects that run for what a state asks for.
final class ReactiveEffects<Query: Hashable & Sendable> {
  private let effect: @Sendable (Query, EffectGate) async -> Void
  private var running: [Query: (gate: EffectGate, task: Task<Void, Never>)] = [:]

  init(_ effect: @escaping @Sendable (Query, EffectGate) async -> Void) {
    self.effect = effect
  }

  /// Lets the effects of these queries run, and no others.
  func run(_ wanted: Set<Query>) {
    for (query, effect) in running where !wanted.contains(query) {
      effect.gate.close()
      effect.task.cancel()
      running[query] = nil
    }
    for query in wanted where running[query] == nil {
      let gate = EffectGate()
      running[query] = (gate, Task { [effect] in await effect(query, gate) })
    }
  }
}
