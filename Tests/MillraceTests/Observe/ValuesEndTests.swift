import MillraceTesting
import Testing

@testable import Millrace

@Suite("The end of the values of a store", .timeLimit(.minutes(1)))
struct ValuesEndTests {
  typealias Way = ValuesTests.Way

  let store = Store<ClosureInteractor>()

  @Test("O6: at shutdown an observer that has not got the last value gets it, and then ends", arguments: Way.allCases)
  func theLastValueIsDeliveredAtShutdown(_ way: Way) async {
    let counts = way.counts(of: store)
    var (behind, abreast) = (counts.makeAsyncIterator(), counts.makeAsyncIterator())
    #expect(await behind.next() == 0)
    store.send(.count(1))
    #expect(await abreast.next() == 1)
    await store.shutdown()
    #expect(await behind.next() == 1)
    #expect(await behind.next() == nil)
    #expect(await abreast.next() == nil)
    var late = counts.makeAsyncIterator()
    #expect(await late.next() == 1)
    #expect(await late.next() == nil)
  }

  @Test("O6: at shutdown waiting observers end, after the value of a step just before", arguments: Way.allCases)
  func waitingObserversEndAtShutdown(_ way: Way) async throws {
    let recorders = (0..<3).map { _ in Recorder<Int>() }
    let tasks = recorders.map { $0.record(from: way.counts(of: store)) }
    store.send(.count(1))
    await store.shutdown()
    for task in tasks { try await task.value }
    for recorder in recorders { #expect(recorder.recorded == [0, 1]) }
  }

  @Test(
    "O6: when the store is released its observers end, waiting or not, and they did not hold it",
    arguments: Way.allCases)
  func observersEndAtRelease(_ way: Way) async throws {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let weakStore = store
    let counts = way.counts(of: try #require(store))
    var iterator = counts.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    let recorder = Recorder<Int>()
    let waiting = recorder.record(from: counts)
    store = nil
    #expect(weakStore == nil)
    try await waiting.value
    #expect(recorder.recorded == [0])
    #expect(await iterator.next() == nil)
    var late = counts.makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test("O6: a key path is forgotten when its last observer is dropped")
  func droppedObserversArePruned() async {
    do {
      var (one, two) = (store.values(of: \.count).makeAsyncIterator(), store.values(of: \.count).makeAsyncIterator())
      var text = store.values(of: \.text).makeAsyncIterator()
      #expect(await one.next() == 0)
      #expect(await two.next() == 0)
      #expect(await text.next() == .some(nil))
      #expect(store.onRegistry { $0?.keyPathCount } == 2)
    }
    await store.settle()
    #expect(store.onRegistry { $0?.keyPathCount } == 0)
  }

  @Test("O6: a key path is observed for as long as one of its observers is left")
  func aKeyPathIsKeptForTheOthers() async throws {
    let recorder = Recorder<Int>()
    recorder.record(from: store.values(of: \.count))
    do {
      var dropped = store.values(of: \.count).makeAsyncIterator()
      #expect(await dropped.next() == 0)
    }
    #expect(store.onRegistry { $0?.keyPathCount } == 1)
    store.send(.count(1))
    #expect(try await recorder.next(2) == [0, 1])
  }

  @Test("O6: an observer whose task is cancelled while it waits ends, and its key path is forgotten")
  func aCancelledObserverIsPruned() async throws {
    let recorder = Recorder<Int>()
    let task = recorder.record(from: store.values(of: \.count))
    #expect(store.onRegistry { $0?.keyPathCount } == 1)
    task.cancel()
    try await task.value
    await store.settle()
    #expect(store.onRegistry { $0?.keyPathCount } == 0)
    #expect(recorder.recorded == [0])
  }

  @Test("O6: an observer that is cancelled while its look is queued for the holder of the lock leaves nothing behind")
  func anObserverCancelledBeforeItsLookIsPruned() async {
    let (executor, looks) = (StepExecutor(), Box(0))
    let counts = store.values { state in
      looks.update { $0 += 1 }
      return state.count
    }
    let task = Task(executorPreference: executor) { for await _ in counts {} }
    executor.run()
    store.send(.count(1))
    await passesAreOver("told")
    store.send(.count(0))
    await passesAreOver("not waited for")
    // Woken for a value that is no news any more, it looks from inside a commit, and is cancelled before that is over.
    store.send(
      .write { _ in
        executor.run()
        task.cancel()
      })
    executor.run()
    await task.value
    await passesAreOver("once")
    let looksBefore = looks.value
    await passesAreOver("twice")
    #expect(looks.value == looksBefore, "Nobody waits for the count, and still it is looked at.")
  }

  @Test("Ten thousand observers that come and go leave nothing behind")
  func observersComeAndGo() async {
    for count in 0..<scaled(10_000) {
      var iterator = store.values(of: \.count).makeAsyncIterator()
      store.send(.count(count))
      #expect(await iterator.next() == count)
    }
    await store.settle()  // An observer that is dropped during a pass leaves its leaving to the holder of the lock.
    #expect(store.onRegistry { $0?.keyPathCount } == 0)
    store.send(.count(-1))
    await store.settle()
    #expect(store.onRegistry { $0?.needs.contains(.notification) } == false)
  }

  /// Returns when a pass has looked at all that was waited for before.
  private func passesAreOver(_ news: String) async {
    var text = store.values(of: \.text).makeAsyncIterator()
    _ = await text.next()
    let told = Task.immediate { [text] in
      var text = text
      _ = await text.next()
    }
    store.send(.text(news))
    await told.value
  }
}
