import MillraceTesting
import Testing

@testable import Millrace

@Suite("The values of a store", .timeLimit(.minutes(1)))
struct ValuesTests {
  let store = Store<ClosureInteractor>()

  /// The two ways in which a count can be observed.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case keyPath, closure

    func counts(of store: Store<ClosureInteractor>) -> StoreSequence<Int, Never> {
      switch self {
      case .keyPath: store.values(of: \.count)
      case .closure: store.values { $0.count }
      }
    }

    var testDescription: String { rawValue }
  }

  // MARK: O1, O2

  @Test("O1: iterators of one sequence and of several each get each value", arguments: Way.allCases)
  func eachIteratorIsAnObserver(_ way: Way) async throws {
    let counts = way.counts(of: store)
    let recorders = (0..<4).map { _ in Recorder<Int>() }
    for (index, recorder) in recorders.enumerated() {
      recorder.record(from: index < 2 ? counts : way.counts(of: store))
      #expect(try await recorder.next() == 0)
    }
    for count in 1...3 {
      store.send(.count(count))
      for recorder in recorders { #expect(try await recorder.next() == count) }
    }
  }

  @Test("O2: the first element is the current value", arguments: Way.allCases)
  func theFirstElementIsTheCurrentValue(_ way: Way) async {
    let early = way.counts(of: store)
    for count in 0...3 {
      store.send(.count(count))
      var (fresh, ofEarly) = (way.counts(of: store).makeAsyncIterator(), early.makeAsyncIterator())
      #expect(await fresh.next() == count)
      #expect(await ofEarly.next() == count)
    }
  }

  @Test(
    "O2: the first element is the current value also where others wait for the same part and were not told yet",
    arguments: Way.allCases)
  func theFirstElementIsTheCurrentValueBesideOthers(_ way: Way) async throws {
    let counts = way.counts(of: store)
    let (early, late) = (Recorder<Int>(), Recorder<Int>())
    early.record(from: counts)
    #expect(try await early.next() == 0)
    // From inside the commit: the look of the late one is taken right behind it, ahead of any pass over the parts.
    store.send(
      .write { state in
        state.count = 1
        late.record(from: counts)
      })
    #expect(try await late.next() == 1)
    #expect(try await early.next() == 1)
    store.send(.count(2))
    #expect(try await late.next() == 2)
    #expect(try await early.next() == 2)
  }

  // MARK: O3

  @Test("O3: a slow observer skips to the newest value", arguments: Way.allCases)
  func aSlowObserverSkips(_ way: Way) async {
    var iterator = way.counts(of: store).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    for count in 1...100 { store.send(.count(count)) }
    // What a pass over the values had to leave until it was over is committed then.
    await store.settle()
    #expect(await iterator.next() == 100)
  }

  @Test("O3: values only get newer up to the last one, while eight tasks send", arguments: Way.allCases)
  func valuesGetNewerUpToTheLast(_ way: Way) async {
    await store.expectOnlyNewer { [store] in way.counts(of: store) }
  }

  // MARK: O4

  @Test("O4: an equal value is never delivered twice in a row", arguments: Way.allCases)
  func anEqualValueIsNotDelivered(_ way: Way) async throws {
    let recorder = Recorder<Int>()
    recorder.record(from: way.counts(of: store))
    #expect(try await recorder.next() == 0)
    for count in 1...20 {
      for other in 1...3 {
        store.send(.other(count * 10 + other))
        store.send(.count(count))
      }
      #expect(try await recorder.next() == count)
    }
    #expect(recorder.recorded == Array(0...20))
  }

  @Test("O4: a value that changes and is as before when it is pulled is not delivered", arguments: Way.allCases)
  func thereAndBackBetweenPullsIsNoNews(_ way: Way) async {
    var iterator = way.counts(of: store).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    store.send(.count(1))
    store.send(.count(0))
    await store.settle()
    let news = Notes<Int?>()
    let pulled = Task.immediate { [iterator] in
      var iterator = iterator
      news.note(await iterator.next())
    }
    #expect(news.all.isEmpty)
    store.send(.count(2))
    await pulled.value
    #expect(news.all == [2])
  }

  @Test("O4: a value that changes and is as before within one step is not delivered", arguments: Way.allCases)
  func thereAndBackWithinAStepIsNoNews(_ way: Way) async throws {
    let recorder = Recorder<Int>()
    recorder.record(from: way.counts(of: store))
    store.send(.counts(1, 0))
    store.send(.count(2))
    #expect(try await recorder.next(2) == [0, 2])
  }

  @Test("O4: nil is a value, and is not delivered twice in a row either")
  func nilIsAValue() async throws {
    let recorder = Recorder<String?>()
    recorder.record(from: store.values(of: \.text))
    #expect(try await recorder.next() == nil)
    store.send(.text(nil))
    store.send(.text("a"))
    #expect(try await recorder.next() == "a")
    store.send(.text(nil))
    #expect(try await recorder.next() == nil)
    store.send(.text("b"))
    #expect(try await recorder.next() == "b")
    #expect(recorder.recorded == [nil, "a", nil, "b"])
  }

  @Test("O4: a Pulse delivers equal values again, each time it is set")
  func aPulseDeliversEqualValues() async throws {
    let recorder = Recorder<String>()
    recorder.record(from: store.values(of: \.bell).map(\.value))
    #expect(try await recorder.next() == "")
    for _ in 1...3 {
      store.send(.write { $0.bell.value = "ding" })
      #expect(try await recorder.next() == "ding")
    }
    store.send(.other(1))
    store.send(.write { $0.bell.value = "dong" })
    #expect(try await recorder.next() == "dong")
  }

  @Test("O4: observers of one part with different last values each get what is news to them", arguments: Way.allCases)
  func observersDifferInTheirLastValue(_ way: Way) async throws {
    let counts = way.counts(of: store)
    var (one, two, three) = (counts.makeAsyncIterator(), counts.makeAsyncIterator(), counts.makeAsyncIterator())
    #expect(await one.next() == 0)
    store.send(.count(1))
    #expect(await two.next() == 1)
    store.send(.count(2))
    #expect(await three.next() == 2)
    store.send(.count(1))
    // 1 is no news to the second alone, which waits on, so that the part is observed while the others pull.
    let second = Notes<Int?>()
    let waiting = Task.immediate { [two] in
      var two = two
      repeat { second.note(await two.next()) } while second.all.last != 5
    }
    #expect(await news(of: &one, after: 0, upTo: 1).allSatisfy { $0 == 1 || $0 == 2 })
    #expect(await news(of: &three, after: 2, upTo: 1) == [1])
    store.send(.count(3))
    store.send(.count(4))
    #expect(await news(of: &one, after: 1, upTo: 4).allSatisfy { $0 == 3 || $0 == 4 })
    #expect(await news(of: &three, after: 1, upTo: 4).allSatisfy { $0 == 3 || $0 == 4 })
    store.send(.count(5))
    await waiting.value
    #expect(zip([1] + second.all, second.all).allSatisfy { $0 != $1 })
  }

  @Test(
    "O4: an observer that waits with another last value than the others is notified when they are not",
    arguments: Way.allCases)
  func whoWaitsWithAnotherLastValueIsTold(_ way: Way) async throws {
    let counts = way.counts(of: store)
    let (zero, one) = (Recorder<Int>(), Recorder<Int>())
    zero.record(from: counts)
    #expect(try await zero.next() == 0)
    // From inside a commit, so that the value is back before a pass tells the one that waits.
    store.send(
      .write { [store] state in
        state.count = 1
        one.record(from: counts)
        store.send(.count(0))
      })
    #expect(try await one.next() == 1)
    #expect(try await one.next() == 0)
    store.send(.count(5))
    #expect(try await one.next() == 5)
    let last = try await zero.next()
    // Whether it was told of the 1 before that was taken back is a matter of time; never is the 0 delivered anew.
    #expect(last == 5 || last == 1)
    #expect(zip(zero.recorded, zero.recorded.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test("O4: a thousand observers of one key path all reach the last value, and none gets a value twice in a row")
  func aThousandObserversReachTheLastValue() async {
    let last = 100
    let observers = (0..<1_000).map { _ in
      Task { [store] in
        var counts: [Int] = []
        for await count in store.values(of: \.count) {
          counts.append(count)
          if count == last { break }
        }
        return counts
      }
    }
    for count in 1...last {
      for other in 0..<20 { store.send(.other(other)) }
      store.send(.count(count))
    }
    for observer in observers {
      let counts = await observer.value
      #expect(counts.last == last)
      #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  /// The values that the observer gets up to `end`, checked to have no two equal ones in a row.
  private func news(of iterator: inout StoreSequence<Int, Never>.Iterator, after last: Int, upTo end: Int) async
    -> [Int]
  {
    var news: [Int] = []
    repeat {
      guard let value = await iterator.next() else { break }
      #expect(value != news.last ?? last)
      news.append(value)
    } while news.last != end
    return news
  }
}
