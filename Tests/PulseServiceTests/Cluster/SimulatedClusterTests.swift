import Foundation
import Millrace
import MillraceFlags
import MillraceJournal
import MillraceTesting
import Testing

@testable import PulseService

/// Pulses of a simulation that share the targets of one journal, and how their gateways were called.
private final class Pulses: Sendable {
  static let lease = Duration.seconds(10)
  static let endpoints = [Endpoint.web, .database, .guarded]

  let world: World
  let journal: MemoryJournal
  let nodes: [World.Node]
  let outputs: [FakeOutput]
  private let calls = Lock(Calls())

  private struct Calls {
    /// The nodes that ask a target now.
    var asking: [Endpoint: Set<Int>] = [:]
    var lastProbe: [Endpoint: Duration] = [:]
    var longestGap = Duration.zero
    /// The keys of the notices by their alerts, numbers and webhooks.
    var keys: [String: Set<String>] = [:]
  }

  init(in world: World) {
    self.world = world
    journal = MemoryJournal(partitions: 8, clock: world.clock)
    nodes = (0..<3).map { world.node("node \($0)") }
    outputs = nodes.map { _ in FakeOutput() }
  }

  var plan: MonitoringService.Plan {
    MonitoringService.Plan(
      endpoints: Self.endpoints, rules: [try! AlertRule("target down")], webhooks: [.chat], interval: .seconds(2))
  }

  /// Runs a member until its time is up.
  func run(_ node: Int, for time: Duration) async throws {
    let configuration = nodes[node].configuration
    let endpoints = FakeEndpointGateway()
    endpoints.probes.always { [self] endpoint in
      begin(endpoint, by: node)
      defer { end(endpoint, by: node) }
      try await configuration.clock.sleep(for: world.duration(in: .zero ... .milliseconds(500)))
      if world.fault(0.2) { throw GatewayFailure.lasting("no") }
    }
    let webhooks = FakeWebhookGateway()
    webhooks.posts.always { [self] post in
      calls.withLock {
        _ = $0.keys["\(post.notice.change.number) of \(post.notice.change.alert)", default: []].insert(
          post.idempotencyKey)
      }
      try await configuration.clock.sleep(for: world.duration(in: .zero ... .seconds(3)))
      if world.fault(0.2) { throw GatewayFailure.unanswered }
    }
    let machine = FakeMachineGateway()
    // Its readings would have another time on the wall than the world.
    machine.readings.always { throw MachineFailure("none") }
    let monitor = PulseMonitor.fake(
      machine: machine, endpoints: endpoints, webhooks: webhooks, clock: configuration.clock)
    var plan = plan
    plan.duration = time
    let cluster = try await Cluster.join(
      plan, as: "\(node)", in: journal, lease: Self.lease, monitor: monitor, configuration: configuration,
      now: { Date(timeIntervalSince1970: Double(configuration.wallTime()) / 1_000) })
    let reporter = Reporter(
      output: outputs[node], presentation: JSONPresentation(), isFinalOnly: false, pace: .milliseconds(500),
      clock: configuration.clock)
    try await ClusterService(
      cluster: cluster, monitor: monitor, reporter: reporter, stop: StopRequest(), configuration: configuration
    ).run()
  }

  func crash(_ node: Int) {
    nodes[node].crash()
    calls.withLock { calls in for endpoint in calls.asking.keys { calls.asking[endpoint]?.remove(node) } }
  }

  private func begin(_ endpoint: Endpoint, by node: Int) {
    let now = world.clock.now.offset
    let others = calls.withLock { calls in
      calls.longestGap = max(calls.longestGap, now - (calls.lastProbe[endpoint] ?? .zero))
      calls.lastProbe[endpoint] = now
      return calls.asking[endpoint, default: []].subtracting([node])
    }
    world.expect(others.isEmpty, "one process probes a target at a time: \(endpoint.name), \(others), \(node)")
    calls.withLock { _ = $0.asking[endpoint, default: []].insert(node) }
  }

  private func end(_ endpoint: Endpoint, by node: Int) {
    calls.withLock { _ = $0.asking[endpoint]?.remove(node) }
  }

  func check() {
    let calls = calls.withLock { $0 }
    world.expect(calls.lastProbe.count == Self.endpoints.count, "each target was probed")
    world.expect(calls.longestGap < Self.lease * 2.5, "a target has an owner again in time: \(calls.longestGap)")
    for (notice, keys) in calls.keys { world.expect(keys.count == 1, "one key for \(notice): \(keys)") }
    for output in outputs {
      let last = output.texts.recorded.last ?? ""
      let elapsed = last.split(separator: "\"elapsedSeconds\":").dropFirst().first.flatMap {
        Double($0.prefix { $0 != "," })
      }
      world.expect(
        elapsed.map { $0 > 20 && $0 <= world.clock.now.offset / .seconds(1) } ?? false,
        "times go on in a new process: \(last)")
      for endpoint in Self.endpoints {
        world.expect(last.contains("\"url\":\"\(endpoint.name)\""), "each process prints all targets: \(last)")
      }
    }
  }
}

@Suite("Cluster, in simulations", .timeLimit(.minutes(5)))
struct SimulatedClusterTests {
  @Test("K5: A pulse whose name another one has taken leaves the cluster, and says why")
  func sameName() async {
    await Simulation.run(seeds: 0..<6) { world in
      let pulses = Pulses(in: world)
      let early = pulses.nodes[0].run {
        do {
          try await pulses.run(0, for: .seconds(3_600))
          world.expect(false, "it leaves the cluster with an error")
        } catch {
          let failure = error as? JournalError
          world.expect(failure?.code == .conflict && "\(error)".contains("at the address \"0 "), "\(error)")
        }
      }
      try await world.clock.sleep(for: .seconds(10))
      let late = pulses.nodes[1].run { try await pulses.run(0, for: .seconds(40)) }
      await early.value
      world.expect(world.clock.now.offset < .seconds(20), "it does not wait for its own end: \(world.clock.now.offset)")
      await late.value
    }
  }

  @Test(
    "Each target is probed by one process, which crashes, and by another one soon; each notice has one key, and each process prints all targets"
  )
  func crash() async {
    let report = await Simulation.run(seeds: 0..<6) { world in
      let pulses = Pulses(in: world)
      for node in pulses.nodes.indices { pulses.nodes[node].run { try await pulses.run(node, for: .seconds(70)) } }
      try? await world.clock.sleep(for: world.duration(in: .seconds(5) ... .seconds(20)))
      let node = world.element(of: [0, 1, 2]) ?? 0
      pulses.crash(node)
      try? await world.clock.sleep(for: world.duration(in: .zero ... .seconds(20)))
      pulses.nodes[node].run { try await pulses.run(node, for: .seconds(30)) }
      try? await world.clock.sleep(for: .seconds(100))
      pulses.check()
    }
    #expect(report.failingPlan == nil)
  }

  @Test("Of members that join at the same time with two configurations those that stay have one")
  func disagreement() async {
    let report = await Simulation.run(seeds: 0..<20) { world in
      let journal = MemoryJournal(partitions: 8, clock: world.clock)
      let ends = Recorder<String>()
      for node in 0..<4 {
        let process = world.node("node \(node)")
        let configuration = process.configuration
        process.run {
          try await configuration.clock.sleep(for: .milliseconds(world.element(of: [0, 0, 0, 1_500]) ?? 0))
          let rule = try AlertRule(node < 2 ? "target down" : "target slower than 1 s")
          let plan = MonitoringService.Plan(
            endpoints: [.web], rules: [rule], interval: .seconds(5), duration: .seconds(30))
          let monitor = PulseMonitor.fake(clock: configuration.clock)
          do {
            let cluster = try await Cluster.join(
              plan, as: "\(node)", in: journal, lease: .seconds(10), monitor: monitor, configuration: configuration,
              now: { Date(timeIntervalSince1970: 0) })
            let reporter = Reporter(
              output: FakeOutput(), presentation: RevisionPresentation(), isFinalOnly: true, pace: .zero,
              clock: configuration.clock)
            try await ClusterService(
              cluster: cluster, monitor: monitor, reporter: reporter, stop: StopRequest(), configuration: configuration
            ).run()
            ends.record("\(rule.text) stays")
          } catch is Cluster.Objection {
            ends.record("\(rule.text) leaves")
          } catch {
            world.expect(false, "\(error)")
          }
        }
      }
      try? await world.clock.sleep(for: .seconds(60))
      let staying = Set(ends.recorded.filter { $0.hasSuffix("stays") })
      world.expect(ends.recorded.count == 4 && staying.count == 1, "\(ends.recorded)")
    }
    #expect(report.failingPlan == nil)
  }
}
