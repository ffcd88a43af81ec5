/// The order in which worlds come to their threads.
///
/// A world begins after those that came before it, and beside those that run, unless one of them runs alone.
struct WorldTurns<Turn> {
  private typealias Place = (turn: Turn, isAlone: Bool)

  private var waiting: [Place] = []
  /// By thread.
  private var places: [Place?]

  init(threads: Int) {
    places = Array(repeating: nil, count: threads)
  }

  /// - Parameter isAlone: whether no other world may run meanwhile.
  mutating func add(_ turn: Turn, isAlone: Bool) { waiting.append((turn, isAlone)) }

  /// Takes the first turn that waits; nil if none waits, or the first may not begin now.
  mutating func next(on thread: Int) -> Turn? {
    guard let first = waiting.first else { return nil }
    for case let other? in places where other.isAlone || first.isAlone { return nil }
    places[thread] = waiting.removeFirst()
    return first.turn
  }

  /// Whether a turn waits.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// The turn that runs on a thread.
  func running(on thread: Int) -> Turn? { places[thread]?.turn }

  /// Ends the turn on a thread; nil if it has ended already.
  mutating func end(on thread: Int) -> Turn? { places[thread].take()?.turn }

  /// Takes out all turns that wait.
  mutating func takeWaiting() -> [Turn] {
    defer { waiting = [] }
    return waiting.map(\.turn)
  }
}
