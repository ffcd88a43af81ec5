import MillraceTesting
import Testing

@testable import Millrace

@Suite("The states of a store", .timeLimit(.minutes(1)))
struct StatesTests {
  let store = Store<ClosureInteractor>()

  @Test("O1: iterators of one sequence and of several each get the newest state, and none takes it from another")
  func eachIteratorIsAnObserver() async throws {
    let states = store.states
    let recorders = (0..<4).map { _ in Recorder<Int>() }
    for (index, recorder) in recorders.enumerated() {
      let source = index < 2 ? states : store.states
      recorder.record(from: source.map(\.count))
      #expect(try await recorder.next() == 0)
    }
    for count in 1...3 {
      store.send(.count(count))
      for recorder in recorders { #expect(try await recorder.next() == count) }
    }
  }

  @Test("O1: two iterators that take turns in pulling each get the newest state")
  func iteratorsTakeTurns() async {
    let states = store.states
    var (one, two) = (states.makeAsyncIterator(), states.makeAsyncIterator())
    for count in 1...3 {
      store.send(.count(count))
      #expect(await one.next()?.count == count)
      #expect(await two.next()?.count == count)
    }
  }

  @Test("O2: the first element is the current state, whenever the observer comes")
  func theFirstElementIsTheCurrentState() async {
    let early = store.states
    for count in 0...3 {
      store.send(.count(count))
      var fresh = store.states.makeAsyncIterator()
      var ofEarly = early.makeAsyncIterator()
      #expect(await fresh.next()?.count == count)
      #expect(await ofEarly.next()?.count == count)
    }
  }

  @Test("O2: the first element is the state at the first pull, not at the making of the iterator")
  func theFirstElementIsOfTheFirstPull() async {
    var iterator = store.states.makeAsyncIterator()
    store.send(.count(7))
    #expect(await iterator.next()?.count == 7)
  }

  @Test("O3: an observer that is slower than the store skips to the newest state")
  func aSlowObserverSkips() async {
    var iterator = store.states.makeAsyncIterator()
    #expect(await iterator.next()?.count == 0)
    for count in 1...1_000 { store.send(.count(count)) }
    #expect(await iterator.next()?.count == 1_000)
    store.send(.count(1_001))
    #expect(await iterator.next()?.count == 1_001)
  }

  @Test("O3: a waiting observer is woken once for all that was committed in one step, and gets the newest")
  func aWaitingObserverIsWokenOnce() {
    let executor = StepExecutor()
    let seen = observe(on: executor)
    #expect(seen.all == [0])
    store.send(.counts(1, 2, 3))
    #expect(executor.ready == 1)
    store.send(.count(4))
    #expect(executor.ready == 1)
    executor.run()
    #expect(seen.all == [0, 4])
  }

  @Test("O3: states only get newer, and every observer reaches the last one, while eight tasks send")
  func statesGetNewerUpToTheLast() async throws {
    await store.expectOnlyNewer { [store] in store.states.map(\.count) }
  }

  @Test("O3: an observer that does not wait costs nothing: no commit looks for whom to tell")
  func whoDoesNotIterateCostsNothing() async {
    let states = store.states
    var iterator = states.makeAsyncIterator()
    store.send(.count(1))
    #expect(store.onRegistry { $0 == nil } == true)
    #expect(await iterator.next()?.count == 1)
    store.send(.count(2))
    #expect(store.onRegistry { $0?.needs.contains(.notification) } == false)
    let executor = StepExecutor()
    let seen = observe(on: executor)
    store.send(.count(3))
    #expect(executor.ready == 1)
    #expect(
      store.onRegistry { $0?.needs.contains(.notification) } == false,
      "It was notified, and does not wait until it runs.")
    executor.run()
    #expect(seen.all == [2, 3])
    #expect(store.onRegistry { $0?.needs.contains(.notification) } == true)
  }

  @Test("L4: observers are told when the state is set and the step is over, never inside it")
  func observersAreToldAfterTheStep() {
    let executor = StepExecutor()
    let seen = observe(on: executor)
    let inside = Notes<Int>()
    let look: ClosureInteractor.Mutation = { state in
      inside.note(executor.ready)
      state.count += 1
      inside.note(executor.ready)
    }
    store.send(.writeAll([look, look]))
    #expect(inside.all == [0, 0, 0, 0])
    #expect(executor.ready == 1)
    executor.run()
    #expect(seen.all == [0, 2])
  }

  @Test("L4: a commit of which an observer was notified is in the state that it reads then")
  func whatWasToldIsInTheState() async {
    let observer = Task { [store] in
      var isNewer = true
      for await state in store.states {
        let now = await store.state
        isNewer = isNewer && now.count >= state.count
        if state.count == 500 { break }
      }
      return isNewer
    }
    for _ in 0..<500 { store.send(.increment) }
    #expect(await observer.value)
  }

  @Test("L5: an observer may send to the store it observes, as often as it is told")
  func anObserverMaySend() async {
    let observer = Task { [store] in
      var counts: [Int] = []
      for await state in store.states {
        counts.append(state.count)
        if state.count == 1_000 { break }
        store.send(.increment)
      }
      return counts
    }
    #expect(await observer.value == Array(0...1_000))
  }

  @Test("L5: an action sent from inside a commit is taken up after the step it was sent from")
  func anActionFromInsideIsQueued() async {
    let notes = Notes<String>()
    store.send(
      .writeAll([
        { [store] _ in
          notes.note("outer begins")
          store.send(.write { _ in notes.note("inner") })
          notes.note("sent")
        },
        { _ in notes.note("outer ends") },
      ]))
    #expect(notes.all == ["outer begins", "sent", "outer ends", "inner"])
  }

  @Test("O6: at shutdown an observer that has not seen the last state gets it, and then ends")
  func theLastStateIsDeliveredAtShutdown() async {
    var (behind, abreast) = (store.states.makeAsyncIterator(), store.states.makeAsyncIterator())
    #expect(await behind.next()?.count == 0)
    store.send(.count(1))
    #expect(await abreast.next()?.count == 1)
    await store.shutdown()
    #expect(await behind.next()?.count == 1)
    #expect(await behind.next() == nil)
    #expect(await abreast.next() == nil)
    var late = store.states.makeAsyncIterator()
    #expect(await late.next()?.count == 1)
    #expect(await late.next() == nil)
  }

  @Test("O6: at shutdown waiting observers end")
  func waitingObserversEndAtShutdown() async throws {
    let recorder = Recorder<Int>()
    let tasks = (0..<3).map { _ in recorder.record(from: store.states.map(\.count)) }
    await store.shutdown()
    for task in tasks { try await task.value }
    #expect(recorder.recorded == [0, 0, 0])
  }

  @Test("O6: when the store is released its observers end, waiting or not, and they did not hold it")
  func observersEndAtRelease() async throws {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let weakStore = store
    let states = try #require(store?.states)
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next()?.count == 0)
    let recorder = Recorder<Int>()
    let waiting = recorder.record(from: states.map(\.count))
    store = nil
    #expect(weakStore == nil)
    try await waiting.value
    #expect(await iterator.next() == nil)
    var late = states.makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test("O6: a waiting observer whose task is cancelled ends, and is awaited no more")
  func aCancelledObserverIsPruned() async throws {
    let recorder = Recorder<Int>()
    let task = recorder.record(from: store.states.map(\.count))
    #expect(store.onRegistry { $0?.needs.contains(.notification) } == true)
    task.cancel()
    #expect(store.onRegistry { $0?.needs.contains(.notification) } == false)
    try await task.value
    store.send(.count(1))
    #expect(recorder.recorded == [0])
  }

  @Test("In a cancelled task the sequence ends at once, and another task may continue with the iterator's sequence")
  func aCancelledTaskGetsNothing() async {
    let counts = await Task { [store] in
      withUnsafeCurrentTask { $0?.cancel() }
      var iterator = store.states.makeAsyncIterator()
      return await iterator.next()?.count
    }.value
    #expect(counts == nil)
  }

  /// Counts that an observer gets whose task runs on `executor`; it waits when this returns.
  private func observe(on executor: StepExecutor) -> Notes<Int> {
    let seen = Notes<Int>()
    Task(executorPreference: executor) { [states = store.states] in
      for await state in states { seen.note(state.count) }
    }
    executor.run()
    return seen
  }
}
