import MillraceTesting
import Testing

@testable import Millrace

/// Whether the reducer works on the one array, told by where that lies.
@Suite("In place", .timeLimit(.minutes(1)))
struct InPlaceTests {
  let store = Store<ClosureInteractor>(items: Array(0..<1_000))

  /// The addresses of the state's array after each mutation that was sent.
  private func places(of mutations: Int) -> [UInt] {
    let places = Notes<UInt>()
    for number in 0..<mutations {
      store.send(
        .write { state in
          state.items[number] += 1
          state.items.withUnsafeBufferPointer { places.note(UInt(bitPattern: $0.baseAddress)) }
        })
    }
    return places.all
  }

  /// The number of copies of the array that ten mutations made.
  private func copies() -> Int {
    let before = Notes<UInt>()
    store.send(.write { $0.items.withUnsafeBufferPointer { before.note(UInt(bitPattern: $0.baseAddress)) } })
    let places = before.all + places(of: 10)
    return zip(places, places.dropFirst()).count { $0 != $1 }
  }

  @Test("O7: without observers a mutation copies nothing")
  func aMutationCopiesNothing() {
    #expect(copies() == 0)
  }

  @Test("O7: the state that is read is copied once while it is kept, and not once it is dropped")
  func aReadStateIsCopiedWhileKept() async {
    let kept = await store.state
    #expect(copies() == 1)
    #expect(kept.items == Array(0..<1_000))
    do { _ = await store.state }
    #expect(copies() == 0)
  }

  @Test("O7: an observer that has dropped its snapshot makes no copy, waiting or not")
  func anObserverWithoutSnapshotMakesNoCopy() async {
    var iterator = store.states.makeAsyncIterator()
    _ = await iterator.next()
    #expect(copies() == 0)
    let executor = StepExecutor()
    Task(executorPreference: executor) { [states = store.states] in
      for await state in states where state.count < 0 { break }
    }
    executor.run()
    #expect(copies() == 0)
    executor.run()
    #expect(copies() == 0)
  }

  @Test("O7: an observer that keeps its snapshot makes one copy, and its snapshot stays as it was")
  func anObserverWithSnapshotMakesOneCopy() async throws {
    var iterator = store.snapshots(.latest).makeAsyncIterator()
    let snapshot = try #require(await iterator.next())
    #expect(copies() == 1)
    #expect(snapshot.state.items == Array(0..<1_000))
    #expect(snapshot.revision == 0)
  }

  @Test("O7: a handler that keeps the state it was given makes exactly one copy, one that does not makes none")
  func aHandlerThatKeepsItsStateMakesOneCopy() async throws {
    let gate = Gate()
    let kept = Notes<[Int]>()
    let keeping = store.send(
      .handleState { state in
        try? await gate.enter()
        kept.note(state.items)
      })
    try await gate.waitForArrivals(1)
    #expect(copies() == 1)
    let letting = store.send(.handle { _ in try await gate.enter() })
    try await gate.waitForArrivals(2)
    #expect(copies() == 0)
    gate.open()
    #expect(await keeping.outcome.isFinished)
    #expect(await letting.outcome.isFinished)
    #expect(kept.all == [Array(0..<1_000)])
  }

  @Test("O7: observers of values and predicates that wait make no copy")
  func valuesAndPredicatesMakeNoCopy() async throws {
    let recorder = Recorder<Int>()
    recorder.record(from: store.values(of: \.count))
    recorder.record(from: store.values { $0.items.count })
    #expect(try await recorder.next(2).sorted() == [0, 1_000])
    let waiting = Task.immediate { [store] in try await store.wait(until: { $0.count == 1 }).count }
    #expect(copies() == 0)
    await store.settle()
    store.send(.count(1))
    #expect(try await recorder.next() == 1)
    #expect(try await waiting.value == 1)
    #expect(copies() == 0)
  }
}
