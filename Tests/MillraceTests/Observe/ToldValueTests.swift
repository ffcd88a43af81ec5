import MillraceTesting
import Testing

@testable import Millrace

/// Observers of a part of the state between being told of a value and looking at it, in all orders that seeds choose.
@Suite("A value between telling and looking", .timeLimit(.minutes(1)))
struct ToldValueTests {
  @Test(
    "O4: an observer that is notified of a value, and reads when it is as before, gets nothing, alone and beside another",
    arguments: [1, 2])
  func takenBack(observers: Int) async {
    let delivered = Box<Set<[Int]>>([])
    await Simulation.run(seeds: 0..<300) { world in
      let store = Store(
        initial: ClosureInteractor.State(), interactor: ClosureInteractor(), configuration: world.configuration)
      let tasks = (0..<observers).map { _ in
        Task {
          var counts: [Int] = []
          for await count in store.values(of: \.count) {
            counts.append(count)
            // Nothing else would end an observer that gets one value again and again.
            if counts.dropLast().last == count { break }
          }
          return counts
        }
      }
      // All wait from now on.
      try await world.clock.sleep(for: .seconds(1))
      store.send(.count(1))
      // Meanwhile they may be told of the 1, and one of them may look at it, or none.
      for _ in 0..<3 { await Task {}.value }
      store.send(.count(0))
      try await world.clock.sleep(for: .seconds(1))
      store.send(.count(2))
      try await world.clock.sleep(for: .seconds(1))
      await store.shutdown()
      for task in tasks {
        let counts = await task.value
        world.expect(zip(counts, counts.dropFirst()).allSatisfy { $0 != $1 }, "O4: no value comes twice in a row")
        delivered.update { _ = $0.insert(counts) }
      }
    }
    #expect(delivered.value == [[0, 2], [0, 1, 0, 2]])
  }

  @Test(
    "O4: a commit between two steps of a pass reaches the parts that the pass has evaluated",
    arguments: [64, 65, 200])
  func commitDuringAPass(parts: Int) async {
    #expect(Selections<ClosureInteractor.State>.partsPerTurn == 64)
    await Simulation.run(seeds: 0..<3) { world in
      let store = Store(
        initial: ClosureInteractor.State(), interactor: ClosureInteractor(), configuration: world.configuration)
      let counts = Box([[Int]](repeating: [], count: parts))
      let commitsInPass = Box(false)
      let tasks = (0..<parts).map { part in
        Task {
          // Parts without a key path are not shared.
          let values = store.values { state in
            let commits = commitsInPass.update { commits in
              defer { commits = false }
              return commits
            }
            if commits { store.send(.count(1)) }
            return state.count
          }
          for await count in values { counts.update { $0[part].append(count) } }
        }
      }
      // All wait from now on.
      try await world.clock.sleep(for: .seconds(1))
      commitsInPass.value = true
      // It changes none of the parts, so that each still waits when the pass has evaluated it.
      store.send(.other(1))
      try await world.clock.sleep(for: .seconds(1))
      world.expect(!commitsInPass.value, "the part that the pass evaluates first sends")
      world.expect(counts.value.allSatisfy { $0 == [0, 1] }, "each observer has the newest value")
      await store.shutdown()
      for task in tasks { await task.value }
    }
  }
}
