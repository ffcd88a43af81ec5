import Foundation
import Millrace
import MillraceTesting
import Synchronization

/// The test kit, which drives the gateways of load benchmarks too.
let testingRows: [Row] = [
  Row(name: "reference/mutex-array-pop") { size in
    let count = size.scaled(2_000_000)
    let gateway = PoppingGateway(replies: Array(0..<count).reversed())
    return try await calls(count, of: gateway)
  },
  Row(name: "testing/fake-call", reference: "reference/mutex-array-pop", target: 8.0) { size in
    let count = size.scaled(2_000_000)
    let gateway = FakeNumbers()
    gateway.keepLog(.none)
    for number in 0..<count { gateway.fetches.reply(number) }
    return try await calls(count, of: gateway)
  },
  Row(name: "testing/fake-call-logged", reference: "reference/mutex-array-pop", target: 15.0, gate: .allocations) {
    size in
    let count = size.scaled(2_000_000)
    let gateway = FakeNumbers()
    gateway.keepLog(.last(1_000))
    for number in 0..<count { gateway.fetches.reply(number) }
    return try await calls(count, of: gateway)
  },
  Row(name: "testing/fake-call-always", reference: "reference/mutex-array-pop", target: 10.0) { size in
    let gateway = FakeNumbers()
    gateway.keepLog(.none)
    gateway.fetches.always { $0 }
    return try await calls(size.scaled(1_000_000), of: gateway)
  },
  // Less than 10,000 ns is 100,000 decisions a second; the reference is what two tasks need that wait for each other.
  Row(name: "testing/simulation-step", reference: "reference/continuation-round-trip", gate: .allocations) { size in
    let yields = size.scaled(100_000)
    var steps = 0
    let figure = await spent {
      let report = await Simulation.run(seed: 0) { _ in
        await withTaskGroup { group in
          for _ in 0..<4 {
            group.addTask { for _ in 0..<yields / 4 { await Task.yield() } }
          }
        }
      }
      precondition(report.failingPlan == nil && report.steps > yields)
      steps = report.steps
    }
    return figure / steps
  },
  Row(name: "reference/actor-hop") { size in
    let count = size.scaled(1_000_000)
    return await perItem(count) { await hop(count) }
  },
  // The same in a world, where each call of the actor is a decision.
  Row(name: "testing/simulation-hop", reference: "reference/actor-hop", gate: .allocations) { size in
    let count = size.scaled(100_000)
    return await perItem(count) {
      let report = await Simulation.run(seed: 0) { _ in
        await hop(count)
      }
      precondition(report.failingPlan == nil && report.steps >= count)
    }
  },
  Row(name: "reference/small-scenario") { size in
    let count = size.scaled(10_000)
    return try await perItem(count) {
      for _ in 0..<count { try await scenario(StoreConfiguration()) }
    }
  },
  // Worlds a second are a billion by this figure.
  Row(name: "testing/simulation-world", reference: "reference/small-scenario", gate: .severalThreads) { size in
    let count = size.scaled(5_000)
    return await perItem(count) {
      let report = await Simulation.run(seeds: 0..<UInt64(count)) { try await scenario($0.configuration) }
      precondition(report.failingPlan == nil && report.worlds == count)
    }
  },
  Row(name: "reference/clock-read") { size in
    let count = size.scaled(2_000_000)
    return await perItem(count) { read(systemClock, count) }
  },
  // Every program with the test kit in it has this between its code and the clock of the system.
  Row(name: "testing/clock-read", reference: "reference/clock-read", target: 1.2) { size in
    let count = size.scaled(2_000_000)
    return await perItem(count) { read(clock_gettime, count) }
  },
]

/// Sends four actions, whose handlers wait for each other's turn, and waits for them.
private func scenario(_ configuration: StoreConfiguration) async throws {
  let store = Store(initial: 0, interactor: Adding(), configuration: configuration)
  for number in 0..<4 { store.send(.add(number)) }
  try await store.wait { $0 == 6 }
}

private struct Adding: Interactor {
  enum Action: Sendable { case add(Int) }
  typealias Mutation = Int
  typealias State = Int

  func handle(_ action: Action, state: Int) -> Effect<Self> {
    Effect { run in
      guard case .add(let number) = action else { return }
      await Task.yield()
      run.emit(number)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}

private typealias ClockRead = @convention(c) (clockid_t, UnsafeMutablePointer<timespec>) -> Int32

/// The function of the C library, without the one of the test kit before it.
private let systemClock: ClockRead = {
  // The next definition after those of this program.
  let next = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "clock_gettime")
  return next.map { unsafeBitCast($0, to: ClockRead.self) } ?? clock_gettime
}()

private func read(_ clock: ClockRead, _ count: Int) {
  var (time, sum) = (timespec(), 0)
  for _ in 0..<count {
    _ = clock(CLOCK_MONOTONIC, &time)
    sum &+= time.tv_nsec
  }
  precondition(sum != 1)
}

private actor Tallying {
  private var sum = 0

  @inline(never)
  func add(_ number: Int) -> Int {
    sum &+= number
    return sum
  }
}

/// Calls two idle actors in turns; calls of one alone would be one stay on it.
private func hop(_ count: Int) async {
  let (first, second) = (Tallying(), Tallying())
  var sum = 0
  for number in 0..<count / 2 {
    sum &+= await first.add(number)
    sum &+= await second.add(number)
  }
  precondition(count < 4 || sum > 0)
}

/// Nanoseconds a call, made one after the other by an interactor's `any Gateway`.
private func calls(_ count: Int, of gateway: any NumbersGateway) async throws -> Figure {
  var sum = 0
  let figure = try await perItem(count) {
    for number in 0..<count { sum &+= try await gateway.fetch(number) }
  }
  precondition(sum == count * (count - 1) / 2)
  return figure
}

private protocol NumbersGateway: Sendable {
  func fetch(_ number: Int) async throws -> Int
}

private struct FakeNumbers: NumbersGateway, FakeGateway {
  let fetches = FakeCall<Int, Int>("fetch")
  func fetch(_ number: Int) async throws -> Int { try await fetches(number) }
}

/// The same by hand: replies that are taken from an array under a Mutex.
private final class PoppingGateway: NumbersGateway {
  private let replies: Mutex<[Int]>

  init(replies: [Int]) {
    self.replies = Mutex(replies)
  }

  func fetch(_ number: Int) async throws -> Int {
    replies.withLock { $0.removeLast() }
  }
}
