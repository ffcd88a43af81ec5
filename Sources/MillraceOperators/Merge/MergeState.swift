/// Elements of several bases as they come, as a value without tasks and locks.
///
/// No base is asked while an element is due, so the others cannot overtake it, and at most one element of each base is kept.
struct MergeState<Element: Sendable, Failure: Error>: OperatorState {
  typealias Actions = OperatorActions<Element, Failure>

  private enum Base {
    /// The base waits for a demand. Becomes `asked` by a demand that finds nothing due.
    case idle
    /// The base is reading. Becomes `idle` with an element, or `ended`.
    case asked
    /// The base has no more elements. Remains.
    case ended
  }

  private var bases: [Base]
  private var buffer = DownstreamBuffer<Element, Failure>.quiet([])

  init(bases count: Int) {
    bases = Array(repeating: .idle, count: count)
  }

  mutating func demand(at now: Duration) -> Actions {
    if let answer = buffer.demand() { return Actions(answer: answer) }
    let asked = bases.indices.filter { bases[$0] == .idle }
    for base in asked { bases[base] = .asked }
    return Actions(asked: asked)
  }

  mutating func receive(_ element: Element, from base: Int, at now: Duration) -> Actions {
    bases[base] = .idle
    return Actions(answer: buffer.offer(element))
  }

  mutating func end(_ base: Int, failure: Failure?) -> Actions {
    bases[base] = .ended
    guard failure != nil || bases.allSatisfy({ $0 == .ended }) else { return .none }
    return Actions(answer: buffer.finish(failure), closes: true)
  }

  mutating func wake(at now: Duration) -> Actions { .none }

  mutating func cancel() -> Actions {
    Actions(answer: buffer.cancel(), closes: true)
  }
}
