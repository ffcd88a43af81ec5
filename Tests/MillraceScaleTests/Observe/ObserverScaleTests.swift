import MillraceTesting
import Testing

@testable import Millrace

/// Very many observers, and observers that act on what they see.
@Suite("Observer scale", .timeLimit(.minutes(1)))
struct ObserverScaleTests {
  let store = Store<ClosureInteractor>()
  let observers = 3_000

  /// Whether nothing is kept for any observer.
  private var isPruned: Bool {
    store.onRegistry { registry in
      guard let registry else { return true }
      return registry.log == nil && registry.positions.isEmpty && registry.keyPathCount == 0
        && registry.valueObservers == 0
        && registry.causeSeekers == 0 && !registry.isBackpressured
    } == true
  }

  // MARK: 3,000

  @Test("O1, O3: 3,000 observers of every state each get each state, and are pruned when dropped")
  func everyState() async throws {
    do {
      var iterators = (0..<observers).map { _ in store.snapshots(.every()).makeAsyncIterator() }
      for round in 0..<3 {
        store.send(.counts(round * 2 + 1, round * 2 + 2))
        for index in iterators.indices {
          let revisions = round == 0 ? 0...2 : (round * 2 + 1)...(round * 2 + 2)
          for revision in revisions {
            let snapshot = await iterators[index].next()
            if snapshot?.revision != revision || snapshot?.state.count != revision {
              Issue.record("Observer \(index) got \(String(describing: snapshot)) for \(revision).")
            }
          }
        }
      }
      #expect(store.onRegistry { $0?.log?.cursors.elements.count } == observers)
      #expect(await store.metrics.observers == observers)
    }
    await store.settle()
    #expect(isPruned)
  }

  @Test("O1, O3: 3,000 waiting observers of states, and of every state, are all told of the last one, and pruned")
  func states() async throws {
    let last = 20
    let reached = await withTaskGroup(of: Int.self) { group in
      for number in 0..<observers {
        group.addTask { [store] in
          var seen: [Int] = []
          if number.isMultiple(of: 2) {
            for await state in store.states {
              seen.append(state.count)
              if state.count == last { break }
            }
          } else {
            var iterator = store.snapshots(.every()).makeAsyncIterator()
            while let snapshot = await iterator.next() {
              seen.append(snapshot.state.count)
              if snapshot.state.count == last { break }
            }
            if seen != Array((seen.first ?? 0)...last) { return -1 }
          }
          return zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 } ? seen.last ?? -1 : -1
        }
      }
      for count in 1...last { store.send(.count(count)) }
      return await group.reduce(into: 0) { $0 += $1 == last ? 1 : 0 }
    }
    #expect(reached == observers)
    await store.settle()
    #expect(isPruned)
  }

  @Test("O1, O4: 3,000 observers of values, by key path, by closure and under a policy, get the last, and are pruned")
  func values() async throws {
    let last = 20
    let reached = await withTaskGroup(of: Int.self) { group in
      for number in 0..<observers {
        group.addTask { [store] in
          var seen: [Int] = []
          switch number % 3 {
          case 0: for await count in store.values(of: \.count) { if seen.takes(count, last) { break } }
          case 1: for await count in store.values(of: { $0.count }) { if seen.takes(count, last) { break } }
          default:
            for await count in store.values(of: \.count, policy: .every()) { if seen.takes(count, last) { break } }
          }
          return zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 } ? seen.last ?? -1 : -1
        }
      }
      for count in 1...last {
        store.send(.other(count))
        store.send(.count(count))
      }
      return await group.reduce(into: 0) { $0 += $1 == last ? 1 : 0 }
    }
    #expect(reached == observers)
    await store.settle()
    #expect(isPruned)
  }

  @Test("O6: 3,000 observers of all kinds end when the store shuts down, and nothing is kept for them")
  func shutdown() async throws {
    let ended = Recorder<Void>()
    for number in 0..<observers {
      Task.immediate {
        [states = store.snapshots(.every()), counts = store.values(of: \.count), newest = store.states] in
        switch number % 3 {
        case 0: for try await _ in states {}
        case 1: for await _ in counts {}
        default: for await _ in newest {}
        }
        ended.record(())
      }
    }
    store.send(.count(1))
    await store.shutdown()
    _ = try await ended.next(observers)
    await store.settle()
    #expect(isPruned)
  }

  // MARK: Acting on what is seen

  /// The ways to see a count.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case states, every, lossless, keyPath, closure, valuesOfEvery, valuesOfLatest

    func counts(of store: Store<ClosureInteractor>) -> AsyncStream<Int> {
      let (stream, continuation) = AsyncStream<Int>.makeStream()
      func feed<Source: AsyncSequence & Sendable>(
        _ source: Source, _ count: @escaping @Sendable (Source.Element) -> Int
      ) {
        let task = Task.immediate {
          for try await element in source { continuation.yield(count(element)) }
          continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
      }
      switch self {
      case .states: feed(store.states) { $0.count }
      case .every: feed(store.snapshots(.every(buffer: 10_000))) { $0.state.count }
      case .lossless: feed(store.snapshots(.lossless())) { $0.state.count }
      case .keyPath: feed(store.values(of: \.count)) { $0 }
      case .closure: feed(store.values { $0.count }) { $0 }
      case .valuesOfEvery: feed(store.values(of: \.count, policy: .every(buffer: 10_000))) { $0 }
      case .valuesOfLatest: feed(store.values(of: \.count, policy: .latest)) { $0 }
      }
      return stream
    }

    /// Whether it delivers a value only when that differs.
    var isOfValues: Bool {
      switch self {
      case .keyPath, .closure, .valuesOfEvery, .valuesOfLatest: true
      case .states, .every, .lossless: false
      }
    }

    var testDescription: String { rawValue }
  }

  @Test(
    "L5: an action that an observer sends is served after the current commit: enter A, exit A, enter B, exit B",
    arguments: Way.allCases)
  func reentrancy(_ way: Way) async throws {
    let notes = Notes<String>()
    func commit(_ name: String, _ count: Int) -> ClosureInteractor.Action {
      .write { [store] state in
        // Observers of every state reduce it again, on states of their own.
        let isStores = store.core.lock.isHeldHere
        if isStores { notes.note("enter \(name)") }
        state.count = count
        if isStores { notes.note("exit \(name)") }
      }
    }
    let counts = way.counts(of: store)
    let observing = Task { [store] in
      for await count in counts where count == 1 {
        store.send(commit("B", 2))
        return
      }
    }
    store.send(commit("A", 1))
    await observing.value
    #expect(await store.state.count == 2)
    #expect(notes.all == ["enter A", "exit A", "enter B", "exit B"])
  }

  @Test("L5: an action that the observation of a part sends is taken up after the pass, and nothing nests")
  func reentrancyOfALook() async throws {
    let (notes, depth) = (Notes<Int>(), Box(0))
    let counts = store.values { [store] state in
      #expect(
        depth.update {
          $0 += 1; return $0
        } == 1)
      if state.count == 1 {
        store.send(
          .write {
            notes.note(depth.value); $0.count = 2
          })
      }
      depth.update { $0 -= 1 }
      return state.count
    }
    let recorder = Recorder<Int>()
    recorder.record(from: counts)
    #expect(try await recorder.next() == 0)
    store.send(.count(1))
    while try await recorder.next() != 2 {}
    #expect(Set(notes.all) == [0])
  }

  @Test(
    "O4: no observer gets two equal values in a row, though another one corrects the state meanwhile",
    arguments: Way.allCases.filter(\.isOfValues))
  func corrected(_ way: Way) async throws {
    let (rounds, end) = (200, -1)
    // The first sees to it that the count is never 1 for long.
    let correcting = Task { [store, counts = Way.every.counts(of: store)] in
      for await count in counts {
        if count == 1 { store.send(.count(0)) }
        if count == end { return }
      }
    }
    let observing = Task { [counts = way.counts(of: store)] in
      var seen: [Int] = []
      for await count in counts {
        seen.append(count)
        if count == end { break }
      }
      return seen
    }
    for _ in 1...rounds {
      store.send(.count(1))
      try await store.wait { $0.count == 0 }
    }
    store.send(.count(end))
    await correcting.value
    let seen = await observing.value
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
    #expect(seen.last == end)
  }

  @Test(
    "O2: an observer that begins while others are told is kept, begins with the current state, and gets the next",
    arguments: Way.allCases)
  func begunDuringANotification(_ way: Way) async throws {
    let recorder = Recorder<Int>()
    let begun = Box<AsyncStream<Int>?>(nil)
    // A look at a part is taken with the turn, while observers are being told.
    let looks = store.values { [store] state in
      if state.count == 1, begun.value == nil { begun.value = way.counts(of: store) }
      return state.count
    }
    let others = Recorder<Int>()
    others.record(from: looks)
    others.record(from: looks)
    #expect(try await others.next(2) == [0, 0])
    store.send(.count(1))
    #expect(try await others.next(2) == [1, 1])
    recorder.record(from: try #require(begun.value))
    #expect(try await recorder.next() == 1)
    store.send(.count(2))
    #expect(try await recorder.next() == 2)
    #expect(try await others.next(2) == [2, 2])
  }

  @Test("O6: of observers that end in the middle of a notification none is told again, and the others continue")
  func droppedDuringANotification() async throws {
    let (staying, leaving) = (Recorder<Int>(), Recorder<Int>())
    staying.record(from: Way.every.counts(of: store))
    for _ in 0..<10 {
      Task.immediate { [states = store.snapshots(.every())] in
        for try await snapshot in states {
          leaving.record(snapshot.state.count)
          if snapshot.state.count == 1 { return }
        }
      }
    }
    #expect(try await leaving.next(10) == Array(repeating: 0, count: 10))
    store.send(.count(1))
    #expect(try await leaving.next(10) == Array(repeating: 1, count: 10))
    store.send(.count(2))
    #expect(try await staying.next(3) == [0, 1, 2])
    #expect(leaving.recorded.count == 20)
  }
}

extension [Int] {
  /// Takes a count; says whether it is the last one.
  fileprivate mutating func takes(_ count: Int, _ last: Int) -> Bool {
    append(count)
    return count == last
  }
}
