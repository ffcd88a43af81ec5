import Millrace
import Testing

@testable import MillraceRecording

@Suite("Resimulated runs", .timeLimit(.minutes(1)))
struct ResimulatedRunsTests {
  /// Sends a set of numbers to its own store, which counts them.
  struct Counter: Interactor {
    enum Action: Codable, Sendable {
      case collect
      case child(Set<Int>)
    }

    /// What the set has room for, by which its order is another one.
    let capacity: Int
    let send: @Sendable (Action) async -> Void

    static func numbers(_ capacity: Int) -> Set<Int> {
      var numbers = Set<Int>(minimumCapacity: capacity)
      for number in 0..<100 { numbers.insert(number) }
      return numbers
    }

    func decide(_ action: Action, state: Int) -> Decision<Int> {
      switch action {
      case .collect: .handle
      case .child(let numbers): .mutate(numbers.count)
      }
    }

    func handle(_ action: Action, state: Int) -> Effect<Counter> {
      Effect { _ in await send(.child(Self.numbers(capacity))) }
    }

    static func reduce(into state: inout Int, mutation: Int) { state += mutation }
  }

  /// Where handlers send to.
  private final class Target: Sendable {
    private let sender = Lock<Sender<Counter.Action>?>(nil)

    func set(_ sender: Sender<Counter.Action>?) { self.sender.withLock { $0 = sender } }
    func send(_ action: Counter.Action) async { _ = await sender.withLock { $0 }?.send(action).outcome }
  }

  @Test("An action with a set is the one that was recorded, in whatever order its elements are encoded now")
  func sets() async throws {
    try #require(try JSON.text(of: Counter.numbers(100)) != JSON.text(of: Counter.numbers(10_000)))
    let target = Target()
    defer { target.set(nil) }
    let ring = RingRecorder<Counter.Action, Int, Int>(initial: 0)
    let store = Store(
      initial: 0, interactor: Counter(capacity: 100) { await target.send($0) }, interceptors: [ring])
    target.set(store.sender)
    _ = await store.send(.collect).outcome
    let report = await ring.recording.resimulate(patience: .seconds(60), began: { target.set($0.sender) }) { _ in
      Counter(capacity: 10_000) { await target.send($0) }
    }
    #expect(report.differences.map(\.description) == [])
    #expect(report.actions == 2)
    #expect(report.state == 100)
  }
}
