import MillraceTesting
import Testing

@testable import Millrace

@Suite("Commits", .timeLimit(.minutes(1)))
struct CommitTests {
  let store = Store<ClosureInteractor>()

  @Test("L1: revisions count commits from 0, one for each mutation")
  func revisionsCountCommits() async {
    #expect(await store.snapshot == Snapshot(revision: 0, state: ClosureInteractor.State()))
    let one = store.send(.count(1))
    #expect(await one.firstCommit == 1)
    #expect(await store.snapshot == Snapshot(revision: 1, state: ClosureInteractor.State(count: 1)))
    let three = store.send(.counts(2, 3, 4))
    #expect(await three.firstCommit == 2)
    #expect(await three.lastRevision == 4)
    let none = store.send(.writeAll([]))
    #expect(await none.firstCommit == nil)
    #expect(await store.snapshot == Snapshot(revision: 4, state: ClosureInteractor.State(count: 4)))
  }

  @Test("L1: the mutations of one run are committed in the order in which it emits them")
  func aRunsMutationsAreInOrder() async {
    let receipt = store.send(
      .handle { run in
        for number in 0..<100 { run.emit { $0.items.append(number) } }
      })
    #expect(await receipt.outcome.isFinished)
    #expect(await store.state.items == Array(0..<100))
    #expect(await receipt.lastRevision == 100)
  }

  @Test("The state holds every action whose send returned before, also when another thread had the turn")
  func theStateHasQueuedMutations() async throws {
    let latch = Latch()
    let owner = onThread { [store] in
      store.send(
        .write { state in
          latch.pass()
          state.count += 1
        })
    }
    try await latch.waitForArrival()
    for _ in 0..<5 { store.send(.increment) }
    let state = Task.immediate { [store] in await store.state }
    let snapshot = Task.immediate { [store] in await store.snapshot }
    latch.open()
    #expect(await state.value.count == 6)
    #expect(await snapshot.value.revision == 6)
    await owner.value
  }

  @Test("The state that is asked for from inside a commit holds what was sent from inside it before")
  func theStateFromInsideHoldsWhatWasSent() async {
    let tasks = Box<[Task<Int, Never>]>([])
    store.send(
      .write { [store] state in
        store.send(.increment)
        store.send(.increment)
        let task = Task.immediate { await store.state.count }
        tasks.update { $0.append(task) }
        state.count = 10
      })
    #expect(await tasks.value.first?.value == 12)
  }

  @Test("Each of eight tasks finds all that it sent in the state, at once")
  func eachSenderFindsItsOwn() async {
    let (senders, each) = (8, 200)
    await withTaskGroup { group in
      for _ in 0..<senders {
        group.addTask { [store] in
          for sent in 1...each {
            store.send(.increment)
            let snapshot = await store.snapshot
            #expect(snapshot.state.count >= sent)
            #expect(snapshot.revision == snapshot.state.count)
          }
        }
      }
    }
    #expect(await store.state.count == senders * each)
  }

  @Test("A store's clock is the one of its configuration, a continuous one by default")
  func theClockIsTheConfigurations() {
    #expect(StoreConfiguration().clock is ContinuousClock)
    #expect(StoreConfiguration(clock: TestClock()).clock is TestClock)
    var configuration = StoreConfiguration()
    configuration.clock = TestClock()
    #expect(configuration.clock is TestClock)
  }
}
