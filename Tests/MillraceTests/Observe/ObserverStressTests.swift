import MillraceTesting
import Testing

@testable import Millrace

@Suite("Observer stress", .timeLimit(.minutes(1)))
struct ObserverStressTests {
  @Test(
    "O3: observers that come and go at random while others send and one shuts down: gapless, or told what was missed",
    arguments: 1...4 as ClosedRange<UInt64>)
  func comeAndGo(seed: UInt64) async throws {
    let (store, half) = (Store<ClosureInteractor>(), Gate())
    let (senders, each) = (4, 400)
    await withTaskGroup { group in
      for observer in 0..<8 as Range<UInt64> {
        group.addTask { await observe(store, SeededGenerator(seed: seed * 1_000 + observer)) }
      }
      for sender in 0..<senders {
        group.addTask {
          for number in 0..<each {
            if sender == 0, number == each / 2 { half.open() }
            switch (sender + number) % 3 {
            case 0: store.send(.increment)
            case 1: _ = try? await store.submit(.increment)
            default: store.send(.handle { run in for _ in 0..<3 { run.emit { $0.count += 1 } } })
            }
          }
        }
      }
      group.addTask {
        try? await half.enter()
        #expect(await store.shutdown(drainFor: .seconds(30)).isClean)
      }
    }
    await store.settle()
    let isPruned = store.onRegistry { registry in
      registry.map { $0.log == nil && $0.positions.isEmpty && $0.causeSeekers == 0 && !$0.isBackpressured } ?? true
    }
    #expect(isPruned == true)
    #expect(await store.metrics.submitting == 0)
  }

  /// Makes and drops observers, each of which takes some of what there is.
  private func observe(_ store: Store<ClosureInteractor>, _ generator: SeededGenerator) async {
    var generator = generator
    for _ in 0..<100 {
      let size = Int.random(in: 1...20, using: &generator)
      let (policy, gaps): (ObservationPolicy<StoreError>, Bool) =
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: (ObservationPolicy(.latest), true)
        case 1: (ObservationPolicy(.every(buffer: size)), true)
        case 2: (.every(endsAt: size), false)
        default: (.lossless(pausesAt: size, endsAt: size * 3), false)
        }
      let count = Int.random(in: 0...20, using: &generator)
      do {
        if Bool.random(using: &generator) {
          try await takeStates(store.snapshots(policy), count, gaps)
        } else {
          try await takeTransitions(store.transitions(policy, includesBefore: true), count, gaps)
        }
      } catch let error as StoreError {
        #expect(!gaps)
        #expect(error.code == .lagged)
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  private func takeStates(
    _ states: StoreSequence<Snapshot<ClosureInteractor.State>, StoreError>, _ count: Int, _ gaps: Bool
  ) async throws {
    var (iterator, last) = (states.makeAsyncIterator(), Int?.none)
    for _ in 0..<count {
      guard let snapshot = try await iterator.next() else { return }
      if snapshot.state.count != snapshot.revision { Issue.record("\(snapshot) is torn.") }
      if let last, snapshot.revision != last + 1 + snapshot.missed { Issue.record("\(snapshot) after \(last)") }
      if !gaps, snapshot.missed > 0 { Issue.record("\(snapshot) misses some.") }
      last = snapshot.revision
    }
  }

  private func takeTransitions(
    _ all: StoreSequence<Transition<ClosureInteractor>, StoreError>, _ count: Int, _ gaps: Bool
  ) async throws {
    var (iterator, last) = (all.makeAsyncIterator(), Int?.none)
    for _ in 0..<count {
      guard let transition = try await iterator.next() else { return }
      if transition.state.count != transition.revision { Issue.record("\(transition.revision) is torn.") }
      if let last, transition.revision != last + 1 + transition.missed {
        Issue.record("\(transition.revision) after \(last), which misses \(transition.missed)")
      }
      if !gaps, transition.missed > 0 { Issue.record("\(transition.revision) misses some.") }
      if let before = transition.before, before.count != transition.revision - 1 {
        Issue.record("\(before) before \(transition.revision)")
      }
      if transition.missed == 0, transition.before == nil { Issue.record("Nothing before \(transition.revision)") }
      last = transition.revision
    }
  }
}
