import Foundation
import Millrace
import Synchronization
import Testing

@testable import MillraceTesting

@Suite("Simulation, nodes that crash", .timeLimit(.minutes(2)))
struct NodeTests {
  private static func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

  private func result(
    _ plan: Simulation.Plan = Simulation.Plan(seed: 7), hops: Simulation.Hops = .actors,
    _ body: @escaping Simulation.Body
  ) async -> WorldRun.Result {
    await WorldRun(origin: SimulationOrigin(maximumSteps: 10_000, hops: hops), body: body)(plan)
  }

  /// An actor whose methods wait in it.
  private actor Worker {
    let seen: Recorder<String>

    init(_ seen: Recorder<String>) { self.seen = seen }

    func work(_ name: String, _ gate: Gate) async {
      seen.record("\(name) begins")
      try? await gate.enter()
      seen.record("\(name) ends")
    }
  }

  /// An actor that counts.
  private actor Counter {
    var count = 0

    func add() { count += 1 }
  }

  @Test("An actor that tasks of two nodes call fails the seed, with its type and the nodes")
  func sharedActor() async throws {
    let result = await result { world in
      let counter = Counter()
      for name in ["a", "b"] {
        world.node(name).run {
          await Task.yield()
          await counter.add()
        }
      }
    }
    let failure = try #require(result.failure)
    let sentence = """
      the actor Counter was called by tasks of the nodes 'a' and 'b', so a crash of one may keep it from the other; make an actor in each \
      node, and let them talk by a class with a lock, such as a fake gateway
      """
    let other = sentence.replacingOccurrences(of: "'a' and 'b'", with: "'b' and 'a'")
    #expect(failure.kind == .sharedActor && [sentence, other].contains(failure.sentence), "\(failure.sentence)")
  }

  @Test("An actor of one node, through a crash too, and one that the body calls as well, fail no seed")
  func ownActors() async {
    let result = await result { world in
      let (counter, node) = (Counter(), world.node("a"))
      for _ in 0..<2 {
        await node.run { await counter.add() }.value
        await counter.add()
        node.crash()
      }
      // Actors that are freed leave their addresses to others.
      for number in 0..<200 {
        await world.node(number.isMultiple(of: 2) ? "a" : "b").run { await Counter().add() }.value
      }
      world.expect(await counter.count == 4, "all have counted")
    }
    #expect(result.failure == nil, "\(result.failure?.sentence ?? "")")
  }

  /// Notes that `wait` has returned.
  private static func note(
    _ name: String, _ seen: Recorder<String>, _ wait: @Sendable () async throws -> Void
  ) async {
    try? await wait()
    seen.record("\(name) ends")
  }

  @Test(
    "No task of a crashed node continues: not one that is ready, waits, sleeps, or waits in an actor; and others do")
  func crash() async {
    let seen = Recorder<String>()
    let result = await result { world in
      let (node, other, gate) = (world.node("a"), world.node("b"), Gate())
      node.run {
        async let inActor: Void = Worker(seen).work("actor", gate)
        async let waiting: Void = Self.note("waiting", seen) { try await gate.enter() }
        async let sleeping: Void = Self.note("sleeping", seen) { try await Task.sleep(for: .seconds(1)) }
        async let onClock: Void = Self.note("on the clock", seen) { try await world.clock.sleep(for: .seconds(1)) }
        _ = await (inActor, waiting, sleeping, onClock)
      }
      other.run {
        await Worker(seen).work("other", gate)
        try await Task.sleep(for: .seconds(1))
        seen.record("other sleeps no more")
      }
      try await gate.waitForArrivals(3)
      node.crash()
      gate.open()
      try await world.clock.sleep(for: .seconds(2))
    }
    #expect(result.failure?.sentence == nil && result.leftOver == [])
    #expect(
      Set(seen.recorded.prefix(4)) == ["actor begins", "other begins", "other ends", "other sleeps no more"],
      "\(seen.recorded)")
  }

  @Test("A task that a crashed node had made is of the node, and one that runs in the next life is not stopped")
  func lives() async {
    let seen = Recorder<String>()
    let result = await result { world in
      let (node, first, second) = (world.node("a"), Gate(), Gate())
      node.run { Task { await Self.note("first", seen) { try await first.enter() } } }
      try await first.waitForArrivals()
      node.crash()
      node.run { Task { await Self.note("second", seen) { try await second.enter() } } }
      try await second.waitForArrivals()
      first.open()
      second.open()
      try await world.clock.sleep(for: .seconds(1))
      world.expect(seen.recorded == ["second ends"], "\(seen.recorded)")
    }
    #expect(result.failure?.sentence == nil && result.leftOver == [])
  }

  /// An actor whose method suspends by a continuation of its own.
  private actor Parked {
    let seen: Recorder<String>
    let parked = Recorder<CheckedContinuation<Void, Never>>()

    init(_ seen: Recorder<String>) { self.seen = seen }

    func park() async {
      await withCheckedContinuation { parked.record($0) }
      seen.record("continues")
    }
  }

  @Test(
    "A task in an actor of a crashed node does not continue, also where another node resumes it",
    arguments: Simulation.Hops.allCases, [true, false])
  func actor(hops: Simulation.Hops, crashes: Bool) async {
    let seen = Recorder<String>()
    let result = await result(hops: hops) { world in
      let (node, actor) = (world.node("a"), Parked(seen))
      node.run { await actor.park() }
      let continuation = try await actor.parked.next()
      if crashes { node.crash() }
      continuation.resume()
      try await world.clock.sleep(for: .seconds(1))
      world.expect(seen.recorded == (crashes ? [] : ["continues"]), "\(seen.recorded)")
    }
    #expect(result.failure?.sentence == nil && result.leftOver == [])
  }

  @Test("The step that crashes its own node comes to its end without an effect", arguments: Simulation.Hops.allCases)
  func ownCrash(hops: Simulation.Hops) async {
    let result = await result(hops: hops) { world in
      let node = world.node("a")
      node.run {
        await node.storage.append([1], to: "log")
        await node.storage.sync()
        node.crash()
        await node.storage.append([2], to: "log")
        await node.storage.sync()
        if hops != .none { world.expect(false, "the task has stopped") }
      }
      try await world.clock.sleep(for: .seconds(1))
      world.expect(await node.storage.read("log") == [1], "the storage has the first write alone")
    }
    #expect(result.failure?.sentence == nil)
  }

  @Test("Writes that were synchronized survive each crash; of the others a first part does, which the seed decides")
  func storage() async {
    let kept = Mutex<Set<String>>([])
    let report = await Simulation.run(seeds: 0..<300) { world in
      let node = world.node("a")
      node.run {
        await node.storage.append("ab".utf8, to: "log")
        await node.storage.sync("log")
        await node.storage.append("cd".utf8, to: "log")
        await node.storage.append("ef".utf8, to: "log")
        await node.storage.write("x".utf8, to: "other")
        try await Gate().enter()
      }
      try await world.clock.sleep(for: .seconds(1))
      node.crash()
      let (log, other) = (Self.text(await node.storage.read("log")), await node.storage.read("other"))
      world.expect("abcdef".hasPrefix(log) && log.hasPrefix("ab"), "the log begins with the synchronized part: \(log)")
      kept.withLock { _ = $0.insert(log + (other == nil ? "" : " and the other")) }
      await node.storage.append("g".utf8, to: "log")
      await node.storage.sync()
      node.crash()
      world.expect(Self.text(await node.storage.read("log")) == log + "g", "what is read after a crash is durable")
    }
    #expect(report.failingPlan == nil)
    let logs = ["ab", "abc", "abcd", "abcde", "abcdef"]
    #expect(kept.withLock { $0 } == Set(logs + logs.map { $0 + " and the other" }))
  }

  @Test("A write that is acknowledged before it is synchronized is found, with the crash in the story")
  func acknowledgedTooSoon() async throws {
    let report = await Simulation.run(seeds: 0..<200, options: .init(reporting: false)) { world in
      let (node, acknowledged) = (world.node("a"), Recorder<[UInt8]>())
      node.run {
        for number in 1...3 as ClosedRange<UInt8> {
          await node.storage.append([number], to: "log")
          acknowledged.record([number])
          await node.storage.sync("log")
        }
      }
      await world.pause(upTo: 30)
      node.crash()
      let log = await node.storage.read("log") ?? []
      world.expect(log.starts(with: acknowledged.recorded.joined()), "what is acknowledged survives")
    }
    let text = try #require(report.failures.first).description
    #expect(text.contains("node a crashes\n") && text.contains("keeps 0 of 1 unsynchronized writes of log"), "\(text)")
  }

  @Test("Files are replaced, removed and listed; reads see writes that are not synchronized")
  func files() async {
    let result = await result(Simulation.Plan("7 draws none")!) { world in
      let storage = world.node("a").storage
      await storage.append([1, 2], to: "b")
      await storage.write([3], to: "a")
      world.expect(await storage.names == ["a", "b"], "both are there")
      await storage.write([4], to: "b")
      await storage.remove("a")
      world.expect(await storage.read("b") == [4], "it is replaced")
      world.expect(await storage.read("a") == nil, "it is removed")
      world.expect(await storage.names == ["b"], "one is left")
      await storage.sync("b")
      world.node("a").crash()
      world.expect(await storage.read("b") == [4], "it is durable")
      world.expect(world.node("a") === world.node("a"), "a name is one node")
    }
    #expect(result.failure?.sentence == nil)
  }

  /// Commits what it is told, after a time.
  private struct Slow: Interactor {
    enum Action: Sendable { case add(Int) }
    typealias Mutation = Int
    typealias State = [Int]

    let clock: TestClock

    func handle(_ action: Action, state: [Int]) -> Effect<Self> {
      Effect { run in
        guard case .add(let number) = action else { return }
        try await clock.sleep(for: .seconds(1))
        run.emit(number)
      }
    }

    static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
  }

  @Test("A handler belongs to the node of its store, and commits nothing after a crash")
  func store() async {
    let seen = Recorder<[Int]>()
    let result = await result { world in
      let (node, other) = (world.node("a"), world.node("b"))
      let crashing = Store(initial: [], interactor: Slow(clock: world.clock), configuration: node.configuration)
      let living = Store(initial: [], interactor: Slow(clock: world.clock), configuration: other.configuration)
      world.always("the crashed store commits nothing", of: crashing) { $0.isEmpty }
      crashing.send(.add(1))
      living.send(.add(2))
      try await world.clock.sleep(for: .milliseconds(500))
      node.crash()
      try await world.clock.sleep(for: .seconds(2))
      seen.record(await living.state)
      seen.record(await crashing.state)
    }
    #expect(result.failure?.sentence == nil && result.leftOver == [])
    #expect(seen.recorded == [[2], []])
  }

  @Test("A body that throws in a node fails the seed, unless its node has crashed")
  func throwing() async {
    struct Broken: Error {}
    let failed = await result { world in
      await world.node("a").run { throw Broken() }.value
    }
    #expect(failed.failure?.sentence == "the body threw Broken()")
    let crashed = await result { world in
      let gate = Gate()
      world.node("a").run {
        try await gate.enter()
        throw Broken()
      }
      try await gate.waitForArrivals()
      world.node("a").crash()
      gate.open()
    }
    #expect(crashed.failure?.sentence == nil)
  }

  @Test("A call on another thread is named", arguments: ["crash", "run", "node", "pause", "storage"])
  func elsewhere(name: String) async {
    let run = WorldRun(origin: SimulationOrigin(allowed: .threads)) { world in
      let node = world.node("a")
      Thread.detachNewThread {
        switch name {
        case "crash": node.crash()
        case "run": node.run {}
        case "node": _ = world.node("b")
        case "pause": Task.immediate { await world.pause(upTo: 3) }
        default: Task.immediate { await node.storage.append([1], to: "log") }
        }
      }
      try await Gate().enter()
    }
    let result = await run(Simulation.Plan(seed: 0), patience: 60)
    let fix = "was called on another thread, where no seed decides when; call it in tasks of the world"
    #expect(result.failure?.sentence == "the world's '\(name)' \(fix)")
  }

  @Test("A pause takes the number of steps that is drawn")
  func pauseSteps() async throws {
    var made: [Int] = []
    for steps in [0, 3, 6, 9] {
      let plan = try #require(Simulation.Plan("7 draws 1.0=\(steps) steps none"))
      let seen = Recorder<Int>()
      let result = await result(plan) { world in
        let others = Task {
          for number in 1...20 {
            seen.record(number)
            await Task.yield()
          }
        }
        await world.pause(upTo: 20)
        world.note("\(seen.recorded.count)")
        await others.value
      }
      made.append(Int(result.notes.first?.split(separator: " ").last ?? "") ?? -1)
    }
    #expect(made == made.sorted() && Set(made).count == 4 && made[3] < 20, "\(made)")
  }

  @Test("The longest pause there is ends too")
  func longestPause() async {
    let result = await result { await $0.pause(upTo: .max) }
    #expect(result.failure == nil)
  }

  @Test("A pause comes to its end after each number of steps that may be drawn, or when nothing else can continue")
  func pause() async {
    let counts = Mutex<Set<Int>>([])
    let report = await Simulation.run(seeds: 0..<200) { world in
      let made = Mutex(0)
      async let others: Void = {
        for _ in 0..<6 {
          made.withLock { $0 += 1 }
          await Task.yield()
        }
      }()
      await world.pause(upTo: 5)
      counts.withLock { _ = $0.insert(made.withLock { $0 }) }
      await others
      async let sleeping: Void = world.clock.sleep(for: .seconds(3))
      await world.pause(upTo: 1_000_000)
      world.expect([.zero, .seconds(3)].contains(world.clock.now.offset), "it lasts for the sleep at most")
      try await sleeping
    }
    #expect(report.failingPlan == nil)
    #expect(counts.withLock { $0 }.isSuperset(of: 0...3))
  }

  @Test("Thousands of worlds that crash leave no task, and free what their tasks hold")
  func memory() async {
    final class Held: Sendable {
      static let count = Mutex(0)
      init() { Self.count.withLock { $0 += 1 } }
      deinit { Self.count.withLock { $0 -= 1 } }
    }
    let report = await Simulation.run(seeds: 0..<2_000) { world in
      let node = world.node("a")
      for _ in 0..<3 {
        let held = Held()
        node.run {
          await Worker(Recorder()).work("never", Gate())
          withExtendedLifetime(held) {}
        }
        await world.pause(upTo: 4)
        node.crash()
      }
    }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
    #expect(Held.count.withLock { $0 } <= 3, "at most the last world's are still being released")
  }
}
