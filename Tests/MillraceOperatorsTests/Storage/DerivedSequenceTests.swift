import MillraceOperators
import MillraceTesting
import Testing

@Suite("DerivedSequence", .timeLimit(.minutes(1)))
struct DerivedSequenceTests {
  private let clock = TestClock()

  /// Each operator, over a base that never ends by itself.
  enum Operator: CaseIterable {
    case merge
    case combineLatest
    case debounce
    case throttle
  }

  private func derived(_ operation: Operator, from tap: Tap<Int>) -> DerivedSequence<Int, any Error> {
    switch operation {
    case .merge: merge(tap, Tap<Int>())
    case .combineLatest: merge(mapped(combineLatest(tap, Tap<Int>(0))), Tap<Int>())
    case .debounce: tap.debounce(for: .seconds(1), clock: clock)
    case .throttle: tap.throttle(for: .seconds(1), clock: clock)
    }
  }

  private func mapped(_ pairs: DerivedSequence<(Int, Int), any Error>) -> some AsyncSequence<Int, any Error> & Sendable
  {
    pairs.map { $0.0 }
  }

  @Test("Cancelling the consumer's task ends its loop and what reads the bases", arguments: Operator.allCases)
  func cancellation(operation: Operator) async throws {
    let tap = Tap(1)
    let task = Recorder<Int>().record(from: derived(operation, from: tap))
    _ = try await tap.asks.next(2)
    task.cancel()
    try await task.value
    try await tap.gone.enter()
    #expect(clock.sleepers == 0)
  }

  @Test("Dropping the iterator ends what reads the bases, while they read", arguments: Operator.allCases)
  func dropping(operation: Operator) async throws {
    let tap = Tap(1)
    let gate = Gate()
    let task = Task {
      var iterator: DerivedSequence<Int, any Error>.Iterator? = derived(operation, from: tap).makeAsyncIterator()
      let time = Task { [clock] in
        guard operation == .debounce else { return }
        try await clock.waitForSleepers()
        clock.run()
      }
      #expect(try await iterator?.next() == 1)
      try await time.value
      iterator = nil
      // Neither the end of the sequence nor that of the task is what ends them.
      try await gate.enter()
    }
    try await tap.gone.enter()
    gate.open()
    try await task.value
  }

  @Test("Making a sequence and an iterator reads nothing", arguments: Operator.allCases)
  func laziness(operation: Operator) {
    let tap = Tap(1)
    let iterator = derived(operation, from: tap).makeAsyncIterator()
    withExtendedLifetime(iterator) { #expect(tap.asks.recorded.isEmpty) }
  }

  @Test("Each iterator reads the bases anew")
  func iterators() async {
    let sequence = merge(Numbers(count: 3), Numbers(count: 0))
    #expect(await sequence.all() == [0, 1, 2])
    #expect(await sequence.all() == [0, 1, 2])
  }

  @Test("Copies of an iterator share what is left, and it continues as long as one is there")
  func copies() async {
    var copy: DerivedSequence<Int, Never>.Iterator
    do {
      var iterator = merge(Numbers(count: 2), Numbers(count: 0)).makeAsyncIterator()
      copy = iterator
      #expect(await iterator.next() == 0)
    }
    #expect(await copy.next() == 1)
    #expect(await copy.next() == nil)
  }
}
