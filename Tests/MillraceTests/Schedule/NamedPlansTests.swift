import MillraceTesting
import Testing

@testable import Millrace

/// The figures of named plans, as a scheduler counts them and as a store writes them.
@Suite("Named plans", .timeLimit(.minutes(1)))
struct NamedPlansTests {
  typealias Table = SchedulerTests.Table

  /// Running, waiting, open breakers, refused by a breaker.
  private func figures(_ table: borrowing Table, _ name: String = "fetch") -> [Int]? {
    table.scheduler.namedPlans.figures.first { $0.name == name }.map {
      [$0.running, $0.waiting, $0.openBreakers, $0.breakerRejections]
    }
  }

  @Test("An action counts as waiting while it lacks a permit, and as running until its handler has returned")
  func permits() {
    let plan = Plan.concurrent.limited(to: 1, key: "tenant").named("fetch")
    var table = Table(slots: 9, waiting: 9)
    for name in ["a", "b", "c"] {
      _ = table.raise(.arrive(name, plan))
      _ = table.raise(.handles(name))
    }
    #expect(figures(table) == [1, 2, 0, 0])
    _ = table.raise(.end("c"))
    #expect(figures(table) == [1, 1, 0, 0])
    _ = table.raise(.end("a"))
    #expect(figures(table) == [1, 1, 0, 0])
    _ = table.raise(.returns("a"))
    #expect(figures(table) == [1, 0, 0, 0])
    _ = table.raise(.returns("b"))
    #expect(figures(table) == [0, 0, 0, 0])
  }

  @Test("A waiting action that moves to the line of another limit counts once")
  func twoLimits() {
    let first = Plan.concurrent.limited(to: 1, key: "t")
    var table = Table(slots: 9, waiting: 9)
    for (name, plan) in [("a", first), ("b", .concurrent.limited(to: 1, key: "u"))] {
      _ = table.raise(.arrive(name, plan))
      _ = table.raise(.handles(name))
    }
    _ = table.raise(.arrive("c", first.limited(to: 1, key: "u").named("fetch")))
    _ = table.raise(.handles("c"))
    _ = table.raise(.returns("a"))
    #expect(figures(table) == [0, 1, 0, 0])
    _ = table.raise(.returns("b"))
    #expect(figures(table) == [1, 0, 0, 0])
  }

  @Test("A shared run counts once, by the name of the plan that began it")
  func shared() {
    var table = Table(slots: 9, waiting: 9)
    _ = table.raise(.arrive("a", .shared(key: "k").named("fetch")))
    _ = table.raise(.handles("run of a"))
    _ = table.raise(.arrive("b", .shared(key: "k").named("other fetch")))
    #expect(figures(table) == [1, 0, 0, 0])
    #expect(figures(table, "other fetch") == [0, 0, 0, 0])
  }

  @Test("A breaker counts as open from the failure that opens it until it closes, and its rejections by their plan")
  func breaker() {
    let plan = Plan.serial(key: "k").breaker(.init(failures: 1, within: .nanoseconds(100), openFor: .nanoseconds(30)))
    let (fetch, store) = (plan.named("fetch"), plan.named("store"))
    var table = Table(slots: 9, waiting: 9)
    _ = table.raise(.arrive("a", fetch))
    _ = table.raise(.handles("a"))
    _ = table.raise(.returns("a", attempt: 1, fails: true))
    #expect(figures(table) == [0, 0, 1, 0])
    _ = table.raise(.arrive("b", store))
    #expect(table.raise(.handles("b")) == ["settle b rejected", "forget b"])
    #expect(figures(table) == [0, 0, 1, 0])
    #expect(figures(table, "store") == [0, 0, 0, 1])
    table.now = 30
    _ = table.raise(.arrive("c", store))
    _ = table.raise(.handles("c"))
    #expect(figures(table) == [0, 0, 1, 0])
    _ = table.raise(.returns("c", attempt: 1))
    #expect(figures(table) == [0, 0, 0, 0])
    #expect(figures(table, "store") == [0, 0, 0, 1])
  }

  @Test("R5: an open breaker that is forgotten with its key counts no longer")
  func forgottenBreaker() {
    let breaker = Plan.Breaker(failures: 1, within: .nanoseconds(100), openFor: .nanoseconds(30))
    var table = Table()
    _ = table.raise(.arrive("a", .serial(key: "k").breaker(breaker).named("fetch")))
    _ = table.raise(.handles("a"))
    _ = table.raise(.returns("a", attempt: 1, fails: true))
    #expect(figures(table) == [0, 0, 1, 0])
    _ = table.raise(.time(1_000))
    let isForgotten = table.scheduler.keys.isEmpty
    #expect(isForgotten)
    #expect(figures(table) == [0, 0, 0, 0])
  }

  @Test("The first 100 names have figures of their own, and all further ones are summed")
  func furtherNames() {
    var names = NamedPlans()
    let indices = (1...100).map { names.index(of: "\($0)") }
    #expect(Set(indices).count == 100)
    let further = [names.index(of: "101"), names.index(of: "102"), names.index(of: "other")]
    #expect(Set(further).count == 1)
    #expect(names.index(of: "7") == indices[6])
    #expect(names.figures.count == 101)
    #expect(names.figures.last?.name == "other")
    for index in further { names[index].running += 1 }
    #expect(names.figures.last?.running == 3)
  }

  @Test("The text of metrics has the series of each named plan, and no key; without a name it has none")
  func text() async throws {
    let store = Store(StoreConfiguration(clock: TestClock()))
    let gate = Gate()
    let action = ScriptedInteractor.Action.handle { _ in await gate.enterIgnoringCancellation() }
    let plan = Plan.concurrent.limited(to: 1, key: "secret tenant")
    let receipts = [store.send(action.planned(plan))]
    try await gate.waitForArrivals()
    #expect(await !store.metrics.openMetrics().contains("plan_"))
    let waiting = store.send(action.planned(plan.named("fetch \"all\"")))
    let text = await store.metrics.openMetrics(prefix: "shop", labels: ["site": "north"])
    #expect(OpenMetricsChecker(text).problems == [])
    #expect(!text.contains("secret"))
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("shop_plan_") }
    #expect(
      lines == [
        #"shop_plan_running{plan="fetch \"all\"",site="north"} 0"#,
        #"shop_plan_waiting{plan="fetch \"all\"",site="north"} 1"#,
        #"shop_plan_open_breakers{plan="fetch \"all\"",site="north"} 0"#,
        #"shop_plan_breaker_rejections_total{plan="fetch \"all\"",site="north"} 0"#,
      ])
    gate.open()
    for receipt in receipts + [waiting] { #expect(await receipt.outcome.kind == .finished) }
  }
}
