import MillraceTesting
import Testing

@testable import Millrace

/// Values taken from the state under a policy.
@Suite("Values under a policy", .timeLimit(.minutes(1)))
struct ValuesPolicyTests {
  let store = Store<ClosureInteractor>()

  /// Two parts of a state as one value.
  struct Part: Sendable, Equatable {
    let count: Int
    let text: String?

    init(_ state: ClosureInteractor.State) {
      (count, text) = (state.count, state.text)
    }
  }

  private func take<Element, Failure>(
    _ number: Int, of iterator: inout StoreSequence<Element, Failure>.Iterator
  ) async throws -> [Element] {
    var elements: [Element] = []
    for _ in 0..<number { elements.append(try #require(try await iterator.next())) }
    return elements
  }

  // MARK: What is taken

  @Test(
    "O4: a key path, under each policy that delivers all: each value in order, equal ones once; a part's snapshots have each state",
    arguments: [ObservationPolicy(.every()), .every(endsAt: 100), .lossless()]
      as [ObservationPolicy<StoreError>])
  func keyPath(policy: ObservationPolicy<StoreError>) async throws {
    var values = store.values(of: \.count, policy: policy).makeAsyncIterator()
    var iterator = store.reader.scope(\.count).snapshots(policy).makeAsyncIterator()
    var states = store.states(policy).makeAsyncIterator()
    for count in [0, 1, 1, 2, 1] { store.send(.count(count)) }
    store.send(.other(1))
    store.send(.count(0))
    #expect(try await take(8, of: &states).map(\.count) == [0, 0, 1, 1, 2, 1, 1, 0])
    #expect(try await take(5, of: &values) == [0, 1, 2, 1, 0])
    let snapshots = try await take(8, of: &iterator)
    #expect(snapshots.map(\.state) == [0, 0, 1, 1, 2, 1, 1, 0])
    #expect(snapshots.map(\.revision) == Array(0...7))
    #expect(snapshots.allSatisfy { $0.missed == 0 })
  }

  @Test("O3, O4: under .latest a slow observer skips to the newest value, and an equal one is not delivered")
  func latest() async {
    var snapshots = store.reader.scope(\.count).snapshots().makeAsyncIterator()
    var iterator = store.values(of: \.count, by: { $0 == $1 }).makeAsyncIterator()
    #expect(await snapshots.next() == Snapshot(revision: 0, state: 0))
    #expect(await iterator.next() == 0)
    for count in 1...5 { store.send(.count(count)) }
    // Between two elements five states were committed, and four of them were skipped.
    #expect(await snapshots.next() == Snapshot(revision: 5, state: 5, missed: 4))
    #expect(await iterator.next() == 5)
    store.send(.count(6))
    store.send(.count(5))
    let pulled = Notes<Int?>()
    let task = Task.immediate { [iterator] in
      var iterator = iterator
      pulled.note(await iterator.next())
    }
    #expect(pulled.all.isEmpty)
    store.send(.count(7))
    await task.value
    #expect(pulled.all == [7])
  }

  @Test("A computed property, a closure and a combination of parts by an initialiser are observed alike")
  func otherValues() async throws {
    var computed = store.values(of: \.isEven, policy: .every()).makeAsyncIterator()
    var closure = store.values(of: { $0.count / 10 }, policy: .every()).makeAsyncIterator()
    var parts = store.values(of: Part.init, policy: .every()).makeAsyncIterator()
    for count in [2, 3, 13] { store.send(.count(count)) }
    store.send(.text("a"))
    store.send(.other(1))
    store.send(.count(20))
    #expect(try await take(3, of: &computed) == [true, false, true])
    #expect(try await take(3, of: &closure) == [0, 1, 2])
    let combined = try await take(6, of: &parts)
    #expect(combined.map(\.count) == [0, 2, 3, 13, 13, 20])
    #expect(combined.map(\.text) == [nil, nil, nil, nil, "a", "a"])
  }

  @Test(
    "O4: nil is a value, and is not delivered twice in a row",
    arguments: [ObservationPolicy(.every()), .lossless()] as [ObservationPolicy<StoreError>])
  func nilIsAValue(policy: ObservationPolicy<StoreError>) async throws {
    var iterator = store.values(of: \.text, policy: policy).makeAsyncIterator()
    for text in [nil, "a", nil, nil, "b", "b", nil] { store.send(.text(text)) }
    #expect(try await take(5, of: &iterator) == [nil, "a", nil, "b", nil])
    await store.shutdown()
    #expect(try await iterator.next() == nil)
  }

  @Test("O4: a Pulse delivers equal values again, each time it is set, also under .every")
  func pulse() async throws {
    var iterator = store.values(of: \.bell, policy: .every()).makeAsyncIterator()
    for _ in 1...3 {
      store.send(.write { $0.bell.value = "ding" })
      store.send(.other(1))
    }
    #expect(try await take(4, of: &iterator).map(\.value) == ["", "ding", "ding", "ding"])
    await store.shutdown()
    #expect(await iterator.next() == nil)
  }

  // MARK: What is left out

  @Test("Values are compared as the caller asks, with the one delivered last")
  func comparison() async throws {
    var tens = store.values(of: \.count, policy: .every(), by: { abs($0 - $1) < 3 }).makeAsyncIterator()
    // 2 is near the 0 that was delivered; 4 is far from it, though near the 2 that was not.
    for count in [2, 4, 5, 6, 7] { store.send(.count(count)) }
    #expect(try await take(3, of: &tens) == [0, 4, 7])
  }

  @Test("With a comparison that finds none equal the value of each state is delivered")
  func nothingIsLeftOut() async throws {
    var iterator = store.values(of: \.count, policy: .every(), by: { _, _ in false }).makeAsyncIterator()
    for count in [0, 0, 1] { store.send(.count(count)) }
    #expect(try await take(4, of: &iterator) == [0, 0, 0, 1])
  }

  @Test("The newest value whenever the observer asks, compared as the caller asks")
  func latestByAComparison() async throws {
    var near = store.values(of: \.count, by: { $0 == $1 }).makeAsyncIterator()
    var all = store.values(of: \.count, by: { _, _ in false }).makeAsyncIterator()
    #expect(await near.next() == 0)
    #expect(await all.next() == 0)
    store.send(.other(1))
    #expect(await all.next() == 0)
    store.send(.count(4))
    #expect(await near.next() == 4)
    #expect(await all.next() == 4)
    await store.shutdown()
    #expect(await near.next() == nil)
    #expect(await all.next() == nil)
  }

  // MARK: Gaps and ends

  @Test("O3: the snapshots of a part have the number of missed states")
  func missed() async {
    var iterator = store.reader.scope(\.count).snapshots(.every(buffer: 2)).makeAsyncIterator()
    #expect(await iterator.next() == Snapshot(revision: 0, state: 0))
    for other in 1...5 { store.send(.other(other)) }
    #expect(await iterator.next() == Snapshot(revision: 5, state: 0, missed: 4))
    store.send(.count(1))
    #expect(await iterator.next() == Snapshot(revision: 6, state: 1))
  }

  @Test("O3: an observer of values that disconnects, or lags, ends with its error")
  func fails() async throws {
    var strict = store.values(of: \.count, policy: .every(endsAt: 1)).makeAsyncIterator()
    var lossless = store.values(of: \.count, policy: .lossless(pausesAt: 1, endsAt: 2)).makeAsyncIterator()
    #expect(try await strict.next() == 0)
    #expect(try await lossless.next() == 0)
    store.send(.counts(1, 2, 3))
    #expect(await #expect(throws: StoreError.self) { try await strict.next() }?.code == .lagged)
    #expect(await #expect(throws: StoreError.self) { try await lossless.next() }?.code == .lagged)
  }

  @Test("O6: an observer of values whose task is cancelled ends, and one that is dropped leaves nothing")
  func ends() async throws {
    let recorder = Recorder<Int>()
    let task = recorder.record(from: store.values(of: \.count, policy: .every()))
    #expect(try await recorder.next() == 0)
    #expect(store.onRegistry { $0?.log != nil } == true)
    task.cancel()
    try await task.value
    await store.settle()
    #expect(store.onRegistry { $0?.log == nil } == true)
  }

  @Test("Under a policy that cannot fail values need no try; chosen at run time it may fail, and delivers the same")
  func failures() async throws {
    func values(_ values: some AsyncSequence<Int, Never>) async -> [Int] {
      var (iterator, taken) = (values.makeAsyncIterator(), [Int]())
      while let next = await iterator.next(isolation: #isolation) { taken.append(next) }
      return taken
    }
    func mayFail(_ values: some AsyncSequence<Int, StoreError>) async throws -> [Int] {
      var (iterator, taken) = (values.makeAsyncIterator(), [Int]())
      while let next = try await iterator.next(isolation: #isolation) { taken.append(next) }
      return taken
    }
    await store.shutdown()
    #expect(await values(store.values(of: \.count, policy: .latest)) == [0])
    #expect(await values(store.values(of: \.count, policy: .every())) == [0])
    #expect(await values(store.reader.values(of: \.count, policy: .every(buffer: 3), by: { _, _ in false })) == [0])
    #expect(try await mayFail(store.values(of: \.count, policy: .every(endsAt: 3))) == [0])
    #expect(try await mayFail(store.values(of: \.count, policy: ObservationPolicy(.latest))) == [0])
  }

  // MARK: Readers

  @Test("A reader, and one of a part, observe with a policy as the store does")
  func readers() async throws {
    let part = store.reader.scope(Part.init)
    var states = store.reader.snapshots(.every()).makeAsyncIterator()
    var counts = store.reader.values(of: \.count, policy: .every()).makeAsyncIterator()
    var parts = part.snapshots(.every()).makeAsyncIterator()
    var texts = part.values(of: \.text, policy: .every()).makeAsyncIterator()
    var lengths = part.scope(\.text).values(of: { $0?.count ?? 0 }, policy: .every(), by: { _, _ in false })
      .makeAsyncIterator()
    store.send(.count(1))
    store.send(.text("a"))
    store.send(.other(1))
    #expect(try await take(4, of: &states).map(\.state.count) == [0, 1, 1, 1])
    #expect(try await take(2, of: &counts) == [0, 1])
    #expect(try await take(4, of: &parts).map(\.state.text) == [nil, nil, "a", "a"])
    #expect(try await take(2, of: &texts) == [nil, "a"])
    #expect(try await take(4, of: &lengths) == [0, 0, 1, 1])
    await store.shutdown()
    #expect(await parts.next() == nil)
    #expect(await texts.next() == nil)
  }

  @Test("A reader of a part says what was missed, under .latest and after a gap")
  func readersMissed() async throws {
    let part = store.reader.scope(Part.init)
    var latest = part.snapshots(.latest).makeAsyncIterator()
    var gapped = part.scope(\.count).snapshots(.every(buffer: 1)).makeAsyncIterator()
    #expect(await latest.next()?.revision == 0)
    #expect(await gapped.next()?.revision == 0)
    for count in 1...3 { store.send(.count(count)) }
    let snapshot = try #require(await latest.next())
    #expect((snapshot.revision, snapshot.missed, snapshot.state.count) == (3, 2, 3))
    #expect(await gapped.next() == Snapshot(revision: 3, state: 3, missed: 2))
  }
}

extension ClosureInteractor.State {
  /// A computed property.
  fileprivate var isEven: Bool { count.isMultiple(of: 2) }
}
