import Millrace
import MillraceTesting
import Synchronization
import Testing

@testable import MillraceJournal

/// An agenda of a key: timers, each of which is set for a time, moved and removed, and the times at which they fired.
private struct Agenda: Interactor {
  struct State: Sendable, Codable, Equatable {
    var timers = Timers<Int>()
    /// The ids that fired, with the wall times in milliseconds.
    var fired: [Int: Int64] = [:]
    var problems: [String] = []
  }

  enum Action: Sendable, Codable {
    case set(Int, at: Int64)
    case remove(Int)
    case fire(Int, at: Int64)
  }

  typealias Mutation = Action

  func decide(_ action: Action, state: State) -> Decision<Action> { .mutate(action) }

  static func reduce(into state: inout State, mutation: Action) {
    switch mutation {
    case .set(let id, let time):
      if state.fired[id] == nil { state.timers.set(id, at: time) }
    case .remove(let id): state.timers.remove(id)
    case .fire(let id, let time):
      // A timer may have been moved or removed behind the look at it.
      guard let due = state.timers.remove(id) else { return }
      if time < due { state.problems.append("timer \(id) fired \(due - time) ms early") }
      state.fired[id] = time
    }
  }
}

@Suite("The timers of many keys in simulations", .timeLimit(.minutes(10)))
struct SimulatedTimersTests {
  /// A node whose timers are set, moved and removed in each of its lives.
  private final class Service: Sendable {
    /// The time of a timer, by an action that was acknowledged, or uncertain while one may be.
    struct Known {
      var due: Int64?
      var isCertain = true
    }

    let world: World
    let node: World.Node
    let journal = KeysJournal()
    let known = Mutex<[Int: Known]>([:])
    /// The milliseconds by which the wall time was set forward, or back.
    let step = Atomic<Int64>(0)
    let last = Atomic(0)

    static let keys = ["x", "y", "z"]

    init(in world: World) {
      self.world = world
      node = world.node("a")
    }

    var configuration: StoreConfiguration {
      var configuration = node.configuration
      let wallTime = configuration.wallTime
      configuration.wallTime = { [self] in wallTime() + step.load(ordering: .relaxed) }
      return configuration
    }

    func open(live: Int) async throws -> Stores<String, Agenda> {
      var options = JournalOptions()
      options.snapshotRecords = 5
      let configuration = configuration
      let wallTime = configuration.wallTime
      return try await Stores<String, Agenda>.open(
        name: "agenda", journal: journal, limits: StoresLimits(live: live, idle: .milliseconds(1), opening: 2),
        configuration: configuration, options: options, initial: { _ in Agenda.State() },
        feedbacks: { _ in [.timers(of: \.timers) { .fire($0, at: wallTime()) }] }, interactor: { _ in Agenda() })
    }

    /// Sets, moves and removes timers from several tasks, while keys hibernate, time passes and the wall time is set.
    func live(senders: Int) async throws {
      let stores = try await open(live: 2)
      await withTaskGroup { group in
        for _ in 0..<senders {
          group.addTask {
            var own: [Int] = []
            for action in self.world.actions(4, from: [0, 0, 1, 2, 3, 4, 5]) { await self.act(action, &own, stores) }
          }
        }
      }
      await stores.shutdown()
    }

    /// - Parameter own: The ids of this task, whose actions have an order.
    private func act(_ action: Int, _ own: inout [Int], _ stores: Stores<String, Agenda>) async {
      let delay = Int64(world.duration(in: .milliseconds(1)...(.seconds(200_000))).components.seconds) * 1_000
      let id = world.element(of: own) ?? 0
      switch action {
      case 0:
        own.append(last.add(1, ordering: .relaxed).newValue)
        await change(own[own.count - 1], to: configuration.wallTime() + delay, stores)
      case 1: if id > 0 { await change(id, to: configuration.wallTime() + delay, stores) }
      case 2: if id > 0 { await change(id, to: nil, stores) }
      case 3: await stores.hibernate(Self.keys[id % 3])
      case 4: try? await configuration.clock.sleep(for: world.duration(in: .milliseconds(1)...(.seconds(100_000))))
      default: step.add((world.fault(0.5) ? -1 : 1) * delay / 10, ordering: .relaxed)
      }
    }

    /// Sets the timer of an id, or removes it, and notes what is certain.
    private func change(_ id: Int, to time: Int64?, _ stores: Stores<String, Agenda>) async {
      known.withLock { $0[id, default: Known()].isCertain = false }
      let action: Agenda.Action = time.map { .set(id, at: $0) } ?? .remove(id)
      let outcome = await stores.send(action, to: Self.keys[id % 3]).outcome
      if outcome.kind == .finished { known.withLock { $0[id] = Known(due: time) } }
    }

    /// Waits until every timer is over, and then reads the states.
    func finish() async throws {
      let stores = try await open(live: 2)
      let configuration = configuration
      let end = configuration.wallTime() + 400_000_000
      while configuration.wallTime() < end { try await configuration.clock.sleep(for: .seconds(100_000)) }
      for key in Self.keys {
        let state = try await stores.state(of: key)
        world.expect(state.timers.isEmpty, "no timer is lost, though nobody uses its key")
        world.expect(state.problems.isEmpty, "no timer fires early")
        for (id, known) in known.withLock({ $0 }) where Self.keys[id % 3] == key && known.isCertain && known.due != nil
        {
          world.expect(state.fired[id] != nil, "a timer that was set fires")
        }
      }
      await stores.shutdown()
    }
  }

  @Test(
    "K4: A timer fires at least once and never early, its action is done once, and none is lost by a crash at any record or by a step of the wall time"
  )
  func crashes() async {
    await Simulation.run(seeds: 0..<200) { world in
      let service = Service(in: world)
      for _ in 0..<2 {
        service.node.run { try await service.live(senders: 2) }
        await world.pause(upTo: 300)
        service.node.crash()
      }
      await service.node.run { try await service.finish() }.value
    }
  }
}
