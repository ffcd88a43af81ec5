import MillraceTesting
import Testing

@testable import Millrace

@Suite("StateReader", .timeLimit(.minutes(1)))
struct StateReaderTests {
  private typealias State = ClosureInteractor.State

  /// A state within something else within something else.
  private struct Part: Sendable, Equatable {
    var count: Int
    var text: String?
  }

  /// Whether the reader is the store's own, or one of a part of a part.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case whole, scoped

    func reader(of store: Store<ClosureInteractor>) -> StateReader<ClosureInteractor.State> {
      switch self {
      case .whole: store.reader
      case .scoped: store.reader.scope { (state: ClosureInteractor.State) in [state] }.scope(\.[0])
      }
    }

    var testDescription: String { rawValue }
  }

  private let store = Store<ClosureInteractor>()

  /// A reader of count and text.
  private var part: StateReader<Part> {
    store.reader.scope { Part(count: $0.count, text: $0.text) }
  }

  @Test("A reader reads what was sent before, with the store's revision", arguments: Way.allCases)
  func reading(_ way: Way) async {
    let reader = way.reader(of: store)
    #expect(await reader.state == State())
    store.send(.count(3))
    store.send(.text("three"))
    #expect(await reader.state == State(count: 3, text: "three"))
    #expect(await reader.snapshot == Snapshot(revision: 2, state: State(count: 3, text: "three")))
  }

  @Test("A reader of a part reads that part, by a closure and by a key path")
  func scopes() async {
    store.send(.text("three"))
    #expect(await part.state == Part(count: 0, text: "three"))
    #expect(await part.scope(\.text).state == "three")
    #expect(await part.scope(\.text?.count).snapshot == Snapshot(revision: 1, state: 5))
  }

  @Test("O1, O2: each iterator is an observer of its own, and begins with the current state", arguments: Way.allCases)
  func states(_ way: Way) async throws {
    let states = way.reader(of: store).states
    store.send(.count(1))
    let recorders = [Recorder<State>(), Recorder<State>()]
    for recorder in recorders {
      recorder.record(from: states)
      #expect(try await recorder.next().count == 1)
    }
    store.send(.count(2))
    for recorder in recorders { #expect(try await recorder.next().count == 2) }
  }

  @Test("O3: of a part there is an element for each newer state, and a slow observer skips to the newest")
  func statesOfAPart() async {
    var counts = store.reader.scope(\.count).states.makeAsyncIterator()
    #expect(await counts.next() == 0)
    store.send(.other(1))
    #expect(await counts.next() == 0)
    for count in 1...5 { store.send(.count(count)) }
    #expect(await counts.next() == 5)
  }

  @Test("O4: a value is delivered when it differs from the one before", arguments: Way.allCases)
  func values(_ way: Way) async throws {
    let reader = way.reader(of: store)
    let (texts, counts) = (Recorder<String?>(), Recorder<Int>())
    texts.record(from: reader.values(of: \.text))
    counts.record(from: reader.values { $0.count + 1 })
    #expect(try await texts.next() == nil)
    #expect(try await counts.next() == 1)
    store.send(.count(1))
    #expect(try await counts.next() == 2)
    store.send(.text("a"))
    #expect(try await texts.next() == "a")
    store.send(.text(nil))
    #expect(try await texts.next() == nil)
    #expect(texts.recorded == [nil, "a", nil])
    #expect(counts.recorded == [1, 2])
  }

  @Test("Observers of one key path of the whole state share its evaluation with those of the store")
  func sharing() async throws {
    let recorder = Recorder<Int>()
    recorder.record(from: store.values(of: \.count))
    recorder.record(from: store.reader.values(of: \.count))
    #expect(try await recorder.next(2) == [0, 0])
    #expect(store.onRegistry { $0?.keyPathCount } == 1)
  }

  @Test("O6: states and values end at shutdown, after the last one", arguments: Way.allCases)
  func theEnd(_ way: Way) async throws {
    let reader = way.reader(of: store)
    var states = reader.states.makeAsyncIterator()
    var counts = reader.values(of: \.count).makeAsyncIterator()
    #expect(await states.next()?.count == 0)
    #expect(await counts.next() == 0)
    store.send(.count(1))
    await store.shutdown()
    #expect(await states.next()?.count == 1)
    #expect(await counts.next() == 1)
    #expect(await states.next() == nil)
    #expect(await counts.next() == nil)
    #expect(await reader.state.count == 1)
  }

  @Test(
    "A wait returns the first state that satisfies it, though it stood only within one step", arguments: Way.allCases)
  func waiting(_ way: Way) async throws {
    let reader = way.reader(of: store)
    let waiting = Task.immediate { try await reader.wait { $0.count == 2 } }
    store.send(.counts(1, 2, 3))
    #expect(try await waiting.value.count == 2)
  }

  @Test("A wait ends when time is up, or when the store is shut down", arguments: Way.allCases)
  func waitingInVain(_ way: Way) async throws {
    let clock = TestClock()
    let store = Store<ClosureInteractor>(clock: clock)
    let reader = way.reader(of: store)
    let timed = Task.immediate { try await reader.wait(until: { $0.count == 2 }, timeout: .seconds(5)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await #expect(throws: StoreError.self) { try await timed.value }?.code == .timedOut)
    let waiting = Task.immediate { try await reader.wait { $0.count == 2 } }
    await store.shutdown()
    #expect(await #expect(throws: StoreError.self) { try await waiting.value }?.code == .shutDown)
  }

  @Test("R6: a reader holds its store, and its sequences and iterators do not", arguments: Way.allCases)
  func holding(_ way: Way) async {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let weakStore = store
    var reader = store.map(way.reader)
    store = nil
    #expect(weakStore != nil)
    #expect(await reader?.state.count == 0)
    let states = reader?.states
    var iterator = states?.makeAsyncIterator()
    var counts = reader?.values(of: \.count).makeAsyncIterator()
    #expect(await iterator?.next()?.count == 0)
    #expect(await counts?.next() == 0)
    reader = nil
    #expect(weakStore == nil)
    #expect(await iterator?.next() == nil)
    #expect(await counts?.next() == nil)
  }

  @Test("R5: an iterator that is dropped leaves nothing at the store", arguments: Way.allCases)
  func dropping(_ way: Way) async {
    do {
      var iterator = way.reader(of: store).states.makeAsyncIterator()
      #expect(await iterator.next()?.count == 0)
      #expect(store.onRegistry { $0?.positions.elements.count } == 1)
    }
    #expect(store.onRegistry { $0?.positions.elements.count } == 0)
  }
}
