import Millrace
import MillraceTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The snippets of docs/expiry.md, as they stand there.
enum ExpirySnippets {
  /// Seats that are held for ten minutes.
  // snippet.Seats
  struct Seats: Interactor {
    enum Action: Sendable {
      case hold(Int, by: String, at: Duration)
      case buy(Int, by: String, at: Duration)
    }

    enum Mutation: Sendable {
      case held(Int, by: String, until: Duration)
      case sold(Int)
    }

    struct State: Sendable, Equatable {
      struct Hold: Sendable, Equatable {
        var guest: String
        var until: Duration
      }

      var holds: [Int: Hold] = [:]
      var sold: Set<Int> = []

      func isFree(_ seat: Int, at now: Duration) -> Bool {
        !sold.contains(seat) && (holds[seat].map { $0.until <= now } ?? true)
      }
    }

    struct Taken: Error {}
    struct Expired: Error {}

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .hold(let seat, let guest, let now):
        guard state.isFree(seat, at: now) else { return .reject(Taken()) }
        return .mutate(.held(seat, by: guest, until: now + .seconds(600)))
      case .buy(let seat, let guest, let now):
        guard let hold = state.holds[seat], hold.guest == guest, now < hold.until else { return .reject(Expired()) }
        return .mutate(.sold(seat))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .held(let seat, let guest, let until): state.holds[seat] = State.Hold(guest: guest, until: until)
      case .sold(let seat):
        state.holds[seat] = nil
        state.sold.insert(seat)
      }
    }
  }
  // snippet.end

  // snippet.Desk
  struct Desk: Sendable {
    let store: Store<Seats>
    var now: @Sendable () -> Duration = { .seconds(time(nil)) }

    @discardableResult
    func hold(_ seat: Int, by guest: String) -> Receipt { store.send(.hold(seat, by: guest, at: now())) }

    @discardableResult
    func buy(_ seat: Int, by guest: String) -> Receipt { store.send(.buy(seat, by: guest, at: now())) }

    func isFree(_ seat: Int) async -> Bool { await store.state.isFree(seat, at: now()) }
  }
  // snippet.end

  // snippet.Pass
  struct Pass: Sendable, Equatable {
    var code: String
    var until: Duration
    var renewAfter: Duration
  }
  // snippet.end

  protocol PassGateway: Sendable {
    func issue() async throws -> Pass
  }

  /// Holds a pass, which the gateway issues anew before it expires.
  struct Gatekeeper: Interactor {
    enum Action: Sendable { case keepPass, enter(at: Duration) }
    enum Mutation: Sendable { case issued(Pass), entered }
    struct State: Sendable { var pass: Pass?, entries = 0 }
    struct NoPass: Error {}

    let gateway: any PassGateway

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .keepPass: .exclusive(key: "pass")
      case .enter: .concurrent
      }
    }

    // snippet.decide
    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .keepPass: return .handle
      case .enter(let now):
        guard let pass = state.pass, now < pass.until else { return .reject(NoPass()) }
        return .mutate(.entered)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        while true {
          let pass = try await gateway.issue()
          run.emit(.issued(pass))
          try await run.clock.sleep(for: pass.renewAfter)
        }
      }
    }
    // snippet.end

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .issued(let pass): state.pass = pass
      case .entered: state.entries += 1
      }
    }
  }

  static func seatsAreFreeAgain() async {
    // snippet.test
    let clock = TestClock()
    let store = Store(initial: Seats.State(), interactor: Seats())
    let desk = Desk(store: store, now: { clock.now.offset })
    #expect(await desk.hold(7, by: "Ada").outcome.kind == .finished)
    #expect(await desk.hold(7, by: "Bob").outcome.kind == .rejected)

    clock.advance(by: .seconds(600))
    #expect(await desk.isFree(7))
    #expect(await desk.buy(7, by: "Ada").outcome.kind == .rejected)
    #expect(await desk.hold(7, by: "Bob").outcome.kind == .finished)
    #expect(await store.snapshot.revision == 2)
    // snippet.end
  }

  static func passIsRenewed(_ gateway: any PassGateway, _ clock: TestClock) async throws {
    let store = Store(
      initial: Gatekeeper.State(), interactor: Gatekeeper(gateway: gateway),
      configuration: StoreConfiguration(clock: clock))
    // snippet.expectation
    let keeping = store.send(.keepPass)
    try await store.wait(until: { $0.pass?.until == .seconds(600) })

    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(540))
    try await store.wait(until: { $0.pass?.until == .seconds(1_140) })

    keeping.cancel()
    #expect(await store.send(.enter(at: .seconds(1_139))).outcome.kind == .finished)
    #expect(await store.send(.enter(at: .seconds(1_140))).outcome.kind == .rejected)
    // snippet.end
  }
}

@Suite("Expiry", .timeLimit(.minutes(1)))
struct ExpirySnippetsTests {
  private struct Office: ExpirySnippets.PassGateway {
    let clock: TestClock

    func issue() async -> ExpirySnippets.Pass {
      let now = clock.now.offset
      return ExpirySnippets.Pass(code: "\(now)", until: now + .seconds(600), renewAfter: .seconds(540))
    }
  }

  @Test("A held seat is free again when its time is over, and nothing was committed meanwhile")
  func seats() async {
    await ExpirySnippets.seatsAreFreeAgain()
  }

  @Test(
    "A seat is bought until its hold expires, and not at that time", arguments: [(0, true), (599, true), (600, false)])
  func purchases(seconds: Int, isSold: Bool) async {
    let store = Store(initial: ExpirySnippets.Seats.State(), interactor: ExpirySnippets.Seats())
    store.send(.hold(7, by: "Ada", at: .zero))
    let outcome = await store.send(.buy(7, by: "Ada", at: .seconds(seconds))).outcome
    #expect(outcome.kind == (isSold ? .finished : .rejected))
    #expect(await store.state.sold == (isSold ? [7] : []))
  }

  @Test("The time of the process is that of the system")
  func systemTime() async {
    let desk = ExpirySnippets.Desk(
      store: Store(initial: ExpirySnippets.Seats.State(), interactor: ExpirySnippets.Seats()))
    #expect(await desk.hold(7, by: "Ada").outcome.kind == .finished)
    #expect(await desk.store.state.isFree(7, at: .zero) == false)
  }

  @Test("A pass is renewed at the time that its issuer gave, and is void at its end")
  func passes() async throws {
    let clock = TestClock()
    try await ExpirySnippets.passIsRenewed(Office(clock: clock), clock)
  }
}
