import MillraceEntries
import Testing

@testable import Millrace
@testable import MillraceRecording

@Suite("Resimulated runs", .timeLimit(.minutes(1)))
struct ResimulatedRunsTests {
  /// Sends a set of numbers to its own store, which counts them.
  struct Counter: Interactor {
    enum Action: Codable, Sendable {
      case collect
      case child(Set<Int>)
    }

    /// The capacity of the set, on which its order depends.
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

  /// The store to which handlers send.
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
    let ring = RingRecorder<Counter>(initial: 0)
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

  /// They were compared with each other, which took more than this suite may take for a file of a few megabytes.
  @Test("Actions that a handler sent are found in any order, each once, without a look at all the others")
  func manyChildren() {
    let count: UInt64 = 20_000
    func cause(_ number: UInt64, from parent: UInt64?) -> Cause<Int> {
      func run(_ number: UInt64) -> RunID { RunID(store: 1, action: ActionID(number: number)) }
      return Cause(
        action: Int(number % (count - 1)),
        context: RunContext(run: run(number), parent: parent.map(run), root: run(parent ?? number), trace: nil))
    }
    let causes = [cause(0, from: nil)] + (1...count).map { cause($0, from: 0) }
    var runs = ResimulatedRuns<Int, Int>(
      causes.map { RecordingEntry<Int, Int, Int>.action(RecordedAction(at: 0, $0, isAccepted: true)) })
    runs.send(causes[0].context.run)
    runs.accept(causes[0])
    for cause in causes.dropFirst().reversed() { runs.accept(cause) }
    #expect(runs.lives.count == causes.count)
    // Of two with the same content the first that was recorded is the first that is sent again.
    #expect(runs.twin(of: causes[Int(count)].context.run) == causes[1].context.run)
    #expect(runs.twin(of: causes[1].context.run) == causes[Int(count)].context.run)
    #expect(runs.twin(of: causes[7].context.run) == causes[7].context.run)
    runs.accept(cause(count + 1, from: 0))
    #expect(runs.unexpected.count == 1)
  }
}
