import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@testable import MillraceInspector

@Suite("Pages of stores whose keys hibernate", .timeLimit(.minutes(1)))
struct HibernatedKeysTests {
  private let clock = TestClock()
  private let gate = Gate()
  private let keys = ["first", "second", "third"]

  /// Stores with a journal whose keys were all used, and are not in memory any more.
  private func hibernatedStores() async throws -> Stores<String, Orders> {
    gate.open()
    let stores = try await Stores<String, Orders>.open(
      name: "orders", journal: MemoryJournal(), configuration: StoreConfiguration(clock: clock), initial: { _ in [] },
      interactor: { [gate] _ in Orders(gate: gate) })
    for key in keys { #expect(await stores.send(.note(1), to: key).outcome.kind == .finished) }
    for key in keys { await stores.untilHibernated(key) }
    #expect(stores.summary.live == 0 && stores.summary.hibernated == keys.count)
    return stores
  }

  @Test("A process is alive, started and ready once all of its keys have hibernated, and opens them again")
  func health() async throws {
    let (pages, stores) = (Pages(InspectorOptions()), try await hibernatedStores())
    pages.show(ShownStore(stores, name: "orders"))
    for path in ["/livez", "/readyz", "/startupz"] { #expect(await ask(pages, path) == (200, "ok\n"), "\(path)") }
    #expect(await ask(pages, "/readyz", [("verbose", nil)]).body.hasSuffix("[+]store-orders ok\nreadyz ok\n"))
    let metrics = await ask(pages, "/metrics")
    #expect(metrics.status == 200)
    for line in [
      "millrace_ready 1", #"millrace_journal_state{state="writable",store="orders"} 1"#,
      #"millrace_journal_buffer_limit_bytes{store="orders"} 0"#, #"millrace_keys_live{store="orders"} 0"#,
      #"millrace_actions_ended_total{outcome="finished",store="orders"} 3"#,
    ] { #expect(metrics.body.contains(line + "\n"), "\(line)") }
    #expect(await ask(pages, "/runs") == (200, "{\"runs\":[],\"unanswered\":[]}\n"))
    #expect(await ask(pages, "/").status == 200)
    for key in keys { #expect(try await stores.state(of: key) == [1]) }
    #expect(await ask(pages, "/readyz") == (200, "ok\n"))
    await stores.shutdown()
  }

  @Test(
    "No alert fires, and no panel divides by zero, before a key is used, while keys are in memory, and once all have hibernated",
    .enabled(if: PrometheusRules.isAvailable, "There is no promtool; Tests/packages installs it."))
  func rules() async throws {
    let (pages, stores) = (Pages(InspectorOptions()), try await hibernatedStores())
    pages.show(ShownStore(stores, name: "orders"))
    let unused = try await Stores<String, Orders>.open(
      name: "unused", journal: MemoryJournal(), configuration: StoreConfiguration(clock: clock), initial: { _ in [] },
      interactor: { [gate] _ in Orders(gate: gate) })
    pages.show(ShownStore(unused, name: "unused"))
    #expect(try await PrometheusRules.findings(in: ask(pages, "/metrics").body) == "")
    for key in keys { #expect(await stores.send(.place(2), to: key).outcome.kind == .finished) }
    #expect(try await PrometheusRules.findings(in: ask(pages, "/metrics").body) == "")
    await stores.shutdown()
    await unused.shutdown()
    // A rule that fires is found.
    #expect(try await PrometheusRules.findings(in: ask(pages, "/metrics").body).contains("MillraceNotReady"))
  }
}
