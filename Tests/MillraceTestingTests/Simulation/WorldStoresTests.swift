import Millrace
import Testing

@testable import MillraceTesting

@Suite("Stores of a world")
struct WorldStoresTests {
  /// Records the idempotency keys of its runs, and fails until the third attempt.
  private struct Keys: Interactor {
    struct Mishap: Error {}

    let seen: Recorder<String>

    func plan(for action: Int, state: Int) -> Plan {
      .serial(key: action).retry(3, backoff: .constant(.seconds(1)), jitter: 1)
    }

    func handle(_ action: Int, state: Int) async -> Effect<Self> {
      Effect { run in
        seen.record(run.idempotencyKey)
        if run.attempt < 3 { throw Mishap() }
      }
    }

    static func reduce(into state: inout Int, mutation: Int) {}
  }

  /// The keys that two stores of a world have given, and the times at which their runs had ended.
  private func keysAndTimes(seed: UInt64) async -> (keys: [String], times: [Duration]) {
    let (keys, times) = (Box<[String]>([]), Box<[Duration]>([]))
    let report = await Simulation.run(seeds: seed..<seed + 1) { world in
      for _ in 0..<2 {
        let seen = Recorder<String>()
        let store = Store(initial: 0, interactor: Keys(seen: seen), configuration: world.configuration)
        let start = world.clock.now
        _ = await store.send(1).outcome
        times.update { $0.append(start.duration(to: world.clock.now)) }
        keys.update { $0 += seen.recorded }
      }
    }
    #expect(report.failingPlan == nil)
    return (keys.value, times.value)
  }

  @Test(
    "No two stores of a world have the same idempotency keys and rests (they had), and a seed gives the same ones again"
  )
  func keys() async {
    let first = await keysAndTimes(seed: 7)
    #expect(first.keys.count == 6 && Set(first.keys).count == 2)
    #expect(first.times.count == 2 && Set(first.times).count == 2)
    let again = await keysAndTimes(seed: 7)
    #expect(again.keys == first.keys && again.times == first.times)
    let other = await keysAndTimes(seed: 8)
    #expect(Set(other.keys).isDisjoint(with: first.keys))
  }
}
