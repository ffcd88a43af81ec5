import Foundation
import Millrace
import MillraceFlags
import MillraceLoopback
import MillraceSocketClient
import MillraceTesting
import Testing

@testable import MillraceLoad

@Suite("LoadInspection", .timeLimit(.minutes(1)))
struct LoadInspectionTests {
  private struct Parcels: Interactor {
    enum Action: Sendable { case send }
    enum Mutation: Sendable { case sent }

    let gate: Gate

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { [gate] run in
        try await gate.enter()
        run.emit(.sent)
      }
    }

    static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
  }

  private func session(_ scenario: LoadScenario, users: Int) async throws -> LoadSession {
    try await LoadSession(scenario, LoadOptions(users: users))
  }

  private func parcels(_ name: String, gate: Gate = Gate()) -> LoadScenario {
    LoadScenario(name) { _ in
      Store(initial: 0, interactor: Parcels(gate: gate))
    } action: { _ in
      .send
    }
  }

  @Test("The stores of the first users have the name of the scenario, and numbers where there are several")
  func names() async throws {
    let parcels = parcels("parcels")
    let clients = LoadScenario("clients") { _ in
      Store(initial: 0, interactor: Parcels(gate: Gate()))
    } perform: { store, _ in
      _ = await store.send(.send).outcome
    }
    let none = LoadScenario("none") { _ in }
    let mixed = LoadScenario("mixed", mixing: [(1, parcels), (1, none), (1, clients)])
    func names(_ scenario: LoadScenario, users: Int) async throws -> [String] {
      let session = try await session(scenario, users: users)
      defer { Task { await session.close() } }
      return session.stores(atMost: 3).map(\.name)
    }
    #expect(try await names(parcels, users: 1) == ["parcels"])
    #expect(try await names(clients, users: 2) == ["clients-0", "clients-1"])
    #expect(try await names(parcels, users: 9) == ["parcels-0", "parcels-1", "parcels-2"])
    #expect(try await names(mixed, users: 1) == ["mixed-0", "mixed-1"])
    #expect(try await names(mixed, users: 2) == ["mixed-0-0", "mixed-0-1", "mixed-1-0"])
    #expect(try await names(none, users: 2) == [])
  }

  #if Inspector
    private func port(_ address: String) throws -> UInt16 {
      try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    }

    private func ask(_ address: String, _ path: String) async throws -> String {
      let client = try #require(LineClient(port: try port(address)))
      client.send("GET /\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      return await client.rest()
    }

    @Test("The pages show the stores of 100 users, however many there are")
    func storeLimit() async throws {
      let inspection = try LoadInspection(port: 0)
      let session = try await session(parcels("parcels"), users: 130)
      inspection.show(session)
      let metrics = try await ask(try #require(inspection.address), "metrics")
      #expect(metrics.split(separator: "\n").count { $0.hasPrefix("millrace_actions_sent_total{") } == 100)
      await session.close()
      await inspection.close()
    }

    @Test("While a run lasts, the pages have its figures, its store and the run of the store, and end with it")
    func pages() async throws {
      let (gate, clock, inspection) = (Gate(), TestClock(), try LoadInspection(port: 0))
      let address = try #require(inspection.address)
      #expect(try await ask(address, "readyz").contains("[-]stores: no store is shown yet"))
      let session = try await session(parcels("parcels", gate: gate), users: 1)
      inspection.show(session)
      let options = LoadOptions(
        .closed(concurrency: 1), duration: .milliseconds(1), drain: .seconds(60), clock: clock)
      async let report = session.run(options) { inspection.follow($0) }
      try await gate.waitForArrivals(1)
      let metrics = try await ask(address, "metrics")
      #expect(metrics.contains("\nload_requests_sent_total 1\n") && metrics.contains("\nload_requests_in_flight 1\n"))
      #expect(metrics.contains("\nmillrace_actions_sent_total{store=\"parcels\"} 1\n"))
      #expect(try await ask(address, "livez").hasPrefix("HTTP/1.1 200 "))
      #expect(try await ask(address, "readyz").hasPrefix("HTTP/1.1 200 "))
      let runs = try await ask(address, "runs")
      #expect(runs.contains(#""stage":"running","store":"parcels""#))
      clock.advance(by: .milliseconds(1))
      gate.open()
      #expect(try await report.counts.finished == 1)
      let last = try await ask(address, "metrics")
      #expect(last.contains("\nload_requests_ended_total{outcome=\"finished\"} 1\n"))
      #expect(last.contains("\nload_latency_seconds_count 1\n"))
      await session.close()
      await inspection.close()
      #expect(LineClient(port: try port(address)) == nil)
    }

    @Test("The product load shows a run by HTTP until its end, at the address that it writes")
    func process() async throws {
      let script = #"""
        exec 3< <(exec "$0" --scenario counter --for 3600 --metrics 0 2>&1 >output)
        run=$!
        read -r -u 3 making
        read -r -u 3 address
        echo "$address"
        port="${address##*:}"
        for path in metrics livez readyz runs; do
          exec 4<>"/dev/tcp/127.0.0.1/${port%.}"
          printf 'GET /%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$path" >&4
          cat <&4
        done
        kill -INT "$run"
        wait "$run"
        """#
      let program = FinishedCommand.products.appending(path: "load").path
      let end = try await FinishedCommand("/bin/bash", ["-c", script, program], in: Folder())
      #expect(end.code == 0, "\(end.errors)")
      #expect(end.output.hasPrefix("The run is shown at http://127.0.0.1:"), "\(end.output)")
      #expect(end.output.contains("\nload_requests_sent_total "))
      #expect(end.output.contains("\nmillrace_actions_sent_total{store=\"counter\"} "))
      #expect(end.output.hasSuffix("\r\n\r\n{\"runs\":[],\"unanswered\":[]}\n"))
      #expect(end.output.split(separator: "HTTP/1.1 200 OK").count == 5, "\(end.output.prefix(2_000))")
    }

    @Test("A search for the limit shows its stores too, and a port in use ends the program with the exit code 69")
    func others() async throws {
      let responder = try LoopbackResponder { _ in .answer() }
      defer { responder.stop() }
      let folder = try Folder()
      let used = try await FinishedCommand("load", ["--metrics", "\(responder.port)"], in: folder)
      #expect(used.code == 69 && used.output.isEmpty)
      #expect(
        used.errors
          == "The scenario counter does not begin without its pages. The inspector cannot listen on port \(responder.port) "
          + "of 127.0.0.1: Address already in use; give another one, or stop its owner.\n")
      let search = try await FinishedCommand(
        "load", ["--metrics", "0", "--find-limit", "p50<=1s", "--at-most", "0.01"], in: folder)
      #expect(search.errors.contains("The run is shown at http://127.0.0.1:"))
    }
  #else
    @Test("A load that was built without an inspector says how to build one that has it")
    func refused() {
      #expect(
        throws: FlagError(
          "--metrics was given '8080', but this program was built without an inspector; install libmicrohttpd-dev and build it "
            + "with the trait Inspector of millrace, as 'swift build -c release --traits Inspector --product load' does."
        )
      ) {
        let scenarios = [parcels("parcels")]
        _ = try LoadCommand(
          LoadCommand.flags(command: "load", scenarios).parse(["--metrics", "8080"]), scenarios)
      }
    }
  #endif
}
