import Foundation
import Millrace
import MillraceRecording
import MillraceTesting

/// Counts what it sells, asks for prices, and sends orders of its own; its types refuse what they never encode.
struct Market: Interactor {
  /// A number of coins that can be added up.
  struct Coins: Codable, Sendable, Equatable {
    static let most = 1 << 40
    var count: Int

    init(_ count: Int) {
      self.count = count
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      count = try container.decode(Int.self)
      guard (0...Self.most).contains(count) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is a number up to \(Self.most).")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(count)
    }
  }

  struct State: Codable, Sendable, Equatable {
    var sold: [String: Coins] = [:]
    var tags: Set<String> = []
    var failures = Coins(0)
    var last: Double?
  }

  enum Action: Codable, Sendable {
    case sell(String, Coins)
    case ask(String)
    case askForAll([String])
  }

  enum Mutation: Codable, Sendable {
    case sold(String, Coins)
    case failed
  }

  struct Closed: Error, Codable {}

  var tape = GatewayTape.off
  var price: @Sendable (String) async throws -> Int = { _ in throw Closed() }
  /// Sends an action to the store of this market, and waits for its end.
  var send: @Sendable (Action) async -> Void = { _ in }

  func plan(for action: Action, state: State) -> Plan {
    if case .ask = action { .concurrent.retry(2) } else { .concurrent }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    if case .sell(let name, let coins) = action { .mutate(.sold(name, coins)) } else { .handle }
  }

  func handle(_ action: Action, state: State) -> Effect<Market> {
    Effect { run in
      switch action {
      case .sell: break
      case .ask(let name):
        let count = try await tape.call("price", name, failure: Closed.self) { Coins(try await price(name)) }
        run.emit(.sold(name, count))
      case .askForAll(let names):
        for name in names { await send(.ask(name)) }
      }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? { .failed }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .sold(let name, let coins):
      state.sold[name] = Coins(min(Coins.most, (state.sold[name]?.count ?? 0) + coins.count))
      state.tags.insert(name)
      state.last = Double(coins.count) / 2
    case .failed: state.failures = Coins(min(Coins.most, state.failures.count + 1))
    }
  }
}

/// Connects handlers to the store that they belong to.
final class MarketSender: Sendable {
  private let sender = Lock<Sender<Market.Action>?>(nil)

  func set(_ sender: Sender<Market.Action>?) { self.sender.withLock { $0 = sender } }
  func send(_ action: Market.Action) async { _ = await sender.withLock { $0 }?.send(action).outcome }
}

extension Market {
  /// A recording with an entry of every kind, and with a gap behind which a state follows.
  static func recording() async throws -> Recording<Market> {
    let clock = ImmediateClock()
    let ring = RingRecorder<Market>(initial: State(), checkpoint: 3, clock: clock)
    let sender = MarketSender()
    let market = Market(
      tape: ring.tape,
      price: { name in
        switch name {
        case "tea": 7
        case "wine": throw Closed()
        default: throw CancellationError()
        }
      }, send: { await sender.send($0) })
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = { _ in }
    let store = Store(initial: State(), interactor: market, configuration: configuration, interceptors: [ring])
    sender.set(store.sender)
    store.send(
      .sell("milk", Coins(3)),
      context: TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "a=b"))
    _ = await store.send(.askForAll(["tea", "wine", "salt", "tea"])).outcome
    _ = await store.send(.sell("bread", Coins(2))).outcome
    sender.set(nil)
    await store.shutdown()
    _ = await store.send(.sell("late", Coins(1))).outcome
    let ended = ring.recording
    guard let end = ended.entries.last else { return ended }
    let last = await store.snapshot
    let revision = last.revision + 3
    let run = RunID(store: 1, action: ActionID(number: 400))
    return Recording<Market>(
      header: ended.header, start: ended.start,
      entries: ended.entries + [
        .gap(RecordedGap(at: end.at, missed: 2)),
        .commit(RecordedCommit(at: end.at, revision: revision, run: run, mutation: .failed)),
        .state(RecordedState(at: end.at, revision: revision, state: last.state)),
        .commit(RecordedCommit(at: end.at, revision: revision + 1, run: run, mutation: .sold("tea", Coins(1)))),
        .step(RecordedStep(at: end.at, run: run, name: "charge", result: .value("{\"coins\":7}"))),
        .step(RecordedStep(at: end.at, run: run, name: "ship", result: .failure("{\"text\":\"no cart\"}"))),
        .end(RecordedEnd(at: end.at, run: run, outcome: .failed, error: "no cart")),
      ])
  }
}
