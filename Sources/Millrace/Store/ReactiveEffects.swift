/// The effects that run for what a state asks for.
///
/// **Order.** Those that are not asked for any more are cancelled in the order in which they began, then the new ones begin. A
/// set has another order at each address, so these begin in the order of their hashes, which is the same in a process.
final class ReactiveEffects<Query: Hashable & Sendable> {
  private let effect: @Sendable (Query, EffectGate) async -> Void
  private var running: [Query: Running] = [:]
  private var lastNumber = 0

  private struct Running {
    let number: Int
    let gate: EffectGate
    let task: Task<Void, Never>
  }

  init(_ effect: @escaping @Sendable (Query, EffectGate) async -> Void) {
    self.effect = effect
  }

  /// Lets the effects of these queries run, and no others.
  func run(_ wanted: Set<Query>) {
    let unwanted = running.filter { !wanted.contains($0.key) }.sorted { $0.value.number < $1.value.number }
    for (query, effect) in unwanted {
      effect.gate.close()
      effect.task.cancel()
      running[query] = nil
    }
    let new = wanted.filter { running[$0] == nil }.sorted { $0.hashValue < $1.hashValue }
    for query in new {
      let gate = EffectGate()
      lastNumber += 1
      running[query] = Running(
        number: lastNumber, gate: gate, task: Task { [effect] in await effect(query, gate) })
    }
  }
}
