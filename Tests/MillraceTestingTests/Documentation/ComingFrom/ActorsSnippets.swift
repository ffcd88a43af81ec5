import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-actors.md, as they stand there.
enum ActorsSnippets {
  struct SoldOut: Error {}

  protocol PaymentGateway: Sendable {
    func charge() async throws
  }

  protocol PriceGateway: Sendable {
    func price(of item: String) async throws -> Int
  }

  protocol SearchGateway: Sendable {
    func search(_ text: String) async throws -> [String]
  }

  /// Actors, each with the fault that its section is about.
  enum Actors {
    // snippet.booking-actor
    actor Show {
      private(set) var free = 1
      private let payments: any PaymentGateway

      init(payments: any PaymentGateway) { self.payments = payments }

      func book() async throws {
        guard free > 0 else { throw SoldOut() }
        try await payments.charge()  // Another call of `book` runs meanwhile, and finds the same seat free.
        free -= 1
      }
    }
    // snippet.end

    // snippet.prices-actor
    actor Prices {
      private var prices: [String: Int] = [:]
      private let gateway: any PriceGateway

      init(gateway: any PriceGateway) { self.gateway = gateway }

      func price(of item: String) async throws -> Int {
        if let price = prices[item] { return price }
        let price = try await gateway.price(of: item)  // A second caller finds no price meanwhile, and fetches too.
        prices[item] = price
        return price
      }
    }
    // snippet.end

    // snippet.shared-actor
    actor SharedPrices {
      private var fetches: [String: Task<Int, any Error>] = [:]
      private let gateway: any PriceGateway

      init(gateway: any PriceGateway) { self.gateway = gateway }

      func price(of item: String) async throws -> Int {
        if let fetch = fetches[item] { return try await fetch.value }
        let fetch = Task { try await gateway.price(of: item) }
        fetches[item] = fetch
        do {
          return try await fetch.value
        } catch {
          fetches[item] = nil
          throw error
        }
      }
    }
    // snippet.end

    // snippet.search-actor
    actor Search {
      private(set) var found: [String] = []
      private let gateway: any SearchGateway

      init(gateway: any SearchGateway) { self.gateway = gateway }

      func search(_ text: String) async throws {
        found = try await gateway.search(text)  // The last answer stays, even one to an older search.
      }
    }
    // snippet.end
  }

  // snippet.booking
  struct Show: Interactor {
    enum Action { case book }
    enum Mutation { case reserved, released }
    struct State { var free = 1 }

    let payments: any PaymentGateway

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      state.free > 0 ? .mutate(.reserved, thenHandle: true) : .reject(SoldOut())
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in try await payments.charge() }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      outcome.rejectionKind == .decided ? nil : .released
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .reserved: state.free -= 1
      case .released: state.free += 1
      }
    }
  }
  // snippet.end

  // snippet.search
  struct Search: Interactor {
    let gateway: any SearchGateway

    func plan(for text: String, state: [String]) -> Plan { .latest(key: "search") }

    func handle(_ text: String, state: [String]) async -> Effect<Self> {
      Effect { run in run.emit(try await gateway.search(text)) }
    }

    static func reduce(into found: inout [String], mutation: [String]) { found = mutation }
  }
  // snippet.end

  /// The one end of a booking, in words.
  static func ending(_ store: Store<Show>) async -> String {
    // snippet.outcome
    switch await store.send(.book).outcome {
    case .finished: "booked"
    case .rejected(.decided): "sold out"
    case .failed(let error): "not paid: \(error)"
    case .rejected(let reason): "refused: \(reason)"
    case .cancelled, .superseded, .timedOut, .shutDown, .abandoned, .leftOpen: "not booked"
    }
    // snippet.end
  }
}

@Suite("The snippets of docs/coming-from-actors.md", .timeLimit(.minutes(1)))
struct ActorsSnippetsTests {
  private typealias Actors = ActorsSnippets.Actors

  private struct Declined: Error {}

  private struct FakePayments: ActorsSnippets.PaymentGateway, FakeGateway {
    let charges = FakeCall<Void, Void>("charge")
    func charge() async throws { try await charges() }
  }

  private struct FakePrices: ActorsSnippets.PriceGateway, FakeGateway {
    let calls = FakeCall<String, Int>("price")
    func price(of item: String) async throws -> Int { try await calls(item) }
  }

  private struct FakeSearch: ActorsSnippets.SearchGateway, FakeGateway {
    let searches = FakeCall<String, [String]>("search")
    func search(_ text: String) async throws -> [String] { try await searches(text) }
  }

  @Test("The actor sells its last seat twice")
  func soldTwice() async throws {
    let payments = FakePayments()
    let (one, two) = (payments.charges.hold(), payments.charges.hold())
    let show = Actors.Show(payments: payments)
    async let first: Void = show.book()
    async let second: Void = show.book()
    try await one.arrived()
    try await two.arrived()
    one.release()
    two.release()
    _ = try await (first, second)
    #expect(await show.free == -1)
    await payments.finish()
  }

  @Test("The interactor sells its last seat once, and rejects the second booking before it pays")
  func soldOnce() async throws {
    let payments = FakePayments()
    let charge = payments.charges.hold()
    let store = Store(initial: .init(), interactor: ActorsSnippets.Show(payments: payments))
    let (first, second) = (store.send(.book), store.send(.book))
    #expect(await second.outcome.rejectionKind == .decided)
    try await charge.arrived()
    charge.release()
    #expect(await first.outcome.kind == .finished)
    #expect(await store.state.free == 0)
    await payments.finish()
  }

  @Test("A seat is free again after a charge that fails or is cancelled, and each booking has one end")
  func released() async throws {
    let payments = FakePayments()
    payments.charges.fail(Declined())
    var configuration = StoreConfiguration()
    configuration.report = { _ in }
    let store = Store(
      initial: .init(), interactor: ActorsSnippets.Show(payments: payments), configuration: configuration)
    #expect(await ActorsSnippets.ending(store) == "not paid: Declined()")
    #expect(await store.state.free == 1)
    let charge = payments.charges.hold()
    let cancelled = store.send(.book)
    try await charge.arrived()
    cancelled.cancel()
    #expect(await cancelled.outcome.kind == .cancelled)
    #expect(await store.state.free == 1)
    payments.charges.reply()
    #expect(await ActorsSnippets.ending(store) == "booked")
    #expect(await ActorsSnippets.ending(store) == "sold out")
    await payments.finish()
  }

  @Test("The actor fetches a price twice that two callers miss")
  func fetchedTwice() async throws {
    let gateway = FakePrices()
    let (one, two) = (gateway.calls.hold(), gateway.calls.hold())
    let prices = Actors.Prices(gateway: gateway)
    async let first = prices.price(of: "tea")
    async let second = prices.price(of: "tea")
    try await one.arrived()
    try await two.arrived()
    one.release(3)
    two.release(3)
    #expect(try await [first, second] == [3, 3])
    #expect(try await prices.price(of: "tea") == 3)
    await gateway.finish()
  }

  @Test("The actor with a task for each item fetches once, and does not end a fetch with the caller that began it")
  func fetchedByTask() async throws {
    let gateway = FakePrices()
    let call = gateway.calls.hold()
    let prices = Actors.SharedPrices(gateway: gateway)
    let first = Task { try await prices.price(of: "tea") }
    try await call.arrived()
    first.cancel()
    async let second = prices.price(of: "tea")
    #expect(call.release(3))
    #expect(try await second == 3)
    #expect(try await first.value == 3)
    gateway.calls.fail(Declined())
    await #expect(throws: Declined.self) { try await prices.price(of: "salt") }
    gateway.calls.reply(4)
    #expect(try await prices.price(of: "salt") == 4)
    await gateway.finish()
  }

  @Test("The actor keeps the answer to the older search, which comes last")
  func lastAnswer() async throws {
    let gateway = FakeSearch()
    let (old, new) = (gateway.searches.when("a").hold(), gateway.searches.when("ap").hold())
    let search = Actors.Search(gateway: gateway)
    async let first: Void = search.search("a")
    try await old.arrived()
    async let second: Void = search.search("ap")
    try await new.arrived()
    new.release(["apple"])
    try await second
    old.release(["avocado"])
    try await first
    #expect(await search.found == ["avocado"])
    await gateway.finish()
  }

  @Test("The interactor keeps the answer to the newest search, whichever comes last")
  func latestSearch() async throws {
    let gateway = FakeSearch()
    let old = gateway.searches.when("a").hold(ignoringCancellation: true)
    let new = gateway.searches.when("ap").hold()
    let store = Store(initial: [], interactor: ActorsSnippets.Search(gateway: gateway))
    let first = store.send("a")
    try await old.arrived()
    let second = store.send("ap")
    try await new.arrived()
    new.release(["apple"])
    #expect(await second.outcome.kind == .finished)
    old.release(["avocado"])
    #expect(await first.outcome.kind == .superseded)
    await store.shutdown()
    #expect(await store.state == ["apple"])
    await gateway.finish()
  }
}
