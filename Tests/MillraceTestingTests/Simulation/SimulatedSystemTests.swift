import Foundation
import Millrace
import Testing

@testable import MillraceTesting

@Suite("Simulation, the system as a world sees it")
struct SimulatedSystemTests {
  /// The lines that a body notes in the world of a seed.
  private func notes(seed: UInt64 = 7, _ body: @escaping Simulation.Body) async -> [String] {
    let result = await WorldRun(origin: SimulationOrigin(), body: body)(Simulation.Plan(seed: seed))
    #expect(result.failure?.sentence == nil)
    return result.notes
  }

  @Test("A sleep on a clock of the system takes the world's time, and no other")
  func sleep() async {
    let start = ContinuousClock.now
    let notes = await notes { world in
      try await Task.sleep(for: .seconds(86_400))
      world.note("a day")
      try await Task.sleep(nanoseconds: 1_500_000_000)
      world.note("and a half second")
      try await ContinuousClock().sleep(until: .now + .milliseconds(1))
      try await SuspendingClock().sleep(until: .now + .milliseconds(1))
      world.note("two clocks")
    }
    #expect(
      notes == [
        "86400.0 seconds: a day", "86401.5 seconds: and a half second", "86401.50200000001 seconds: two clocks",
      ])
    #expect(ContinuousClock.now - start < .seconds(3_600), "it is a day in the world alone")
  }

  @Test("Clocks of the system and the world's clock move together")
  func clocks() async {
    let notes = await notes { world in
      let (date, continuous, suspending, own) = (Date(), ContinuousClock.now, SuspendingClock.now, world.clock.now)
      try await world.clock.sleep(for: .seconds(2))
      async let other: Void = Task.sleep(for: .seconds(3))
      try await world.clock.sleep(for: .seconds(3))
      try await other
      let passed = (Date().timeIntervalSince(date) * 1_000).rounded()
      let durations = [continuous.duration(to: .now), suspending.duration(to: .now), own.duration(to: world.clock.now)]
      world.note("\(passed) ms, \(durations)")
    }
    #expect(notes == ["5.0 seconds: 5000.0 ms, [5.0 seconds, 5.0 seconds, 5.0 seconds]"])
  }

  @Test("The wall time of the world's clock, and of stores with it, is that of the system")
  func wallTimeOfTheClock() async {
    let notes = await notes { world in
      try await world.clock.sleep(for: .milliseconds(1_500))
      let system = Int64((Date().timeIntervalSince1970 * 1_000).rounded())
      world.note("\(world.clock.wallTime() - system), \(world.configuration.wallTime() - system)")
    }
    #expect(notes == ["1.5 seconds: 0, 0"])
  }

  @Test("Wall time is of the years 2026 to 2029, another one for each seed, and the same each time")
  func wallTime() async {
    let body: Simulation.Body = { world in
      var (now, seconds) = (timeval(), time(nil))
      gettimeofday(&now, nil)
      world.expect(now.tv_sec == seconds && seconds == time(&seconds), "all functions give the same time")
      world.note("\(Date().timeIntervalSince1970)")
    }
    let (first, again, second) = (
      await notes(seed: 1, body), await notes(seed: 1, body), await notes(seed: 2, body)
    )
    #expect(first == again && first != second)
    for notes in [first, second] {
      let seconds = Double(notes[0].split(separator: " ").last ?? "") ?? 0
      #expect((1_767_225_600..<1_767_225_600 + 1_461 * 86_400).contains(seconds))
    }
  }

  @Test("Random numbers of the system are the seed's, and each task has its own, whatever ran before it")
  func random() async {
    let body: Simulation.Body = { world in
      async let first = "\(UUID()) \(Int.random(in: 0..<1_000_000)) \([1, 2, 3, 4].shuffled())"
      async let second = "\(UInt64.random(in: 0 ... .max))"
      world.note(await first)
      world.note(await second)
      world.note("\(SystemRandomNumberGenerator.number)")
    }
    let plans = ["7 steps none", "7 steps 1.1.0=1", "7 steps 1.1.0=1,1.0=1"].compactMap { Simulation.Plan($0) }
    var all: Set<[String]> = []
    for plan in plans {
      let result = await WorldRun(origin: SimulationOrigin(), body: body)(plan)
      #expect(result.failure == nil)
      all.insert(result.notes)
    }
    #expect(all.count == 1, "\(all)")
    #expect(await notes(seed: 8, body) != all.first)
  }

  @Test("The functions of the C library that give random bytes give the seed's")
  func bytes() async {
    let body: Simulation.Body = { world in
      var bytes = [UInt8](repeating: 0, count: 24)
      let (drawn, result) = (getrandom(&bytes, 8, 0), getentropy(&bytes[16], 8))
      world.expect(drawn == 8 && result == 0, "both succeed")
      for part in [0..<8, 16..<24] { world.expect(bytes[part].contains { $0 != 0 }, "\(part) is filled") }
      world.note("\(bytes)")
    }
    let (first, again) = (await notes(body), await notes(body))
    #expect(first == again)
    #expect(await notes(seed: 8, body) != first)
  }

  @Test("A sleep on a clock of the system ends when its task is cancelled, or when its world ends")
  func cancelledSleep() async throws {
    let (notes, ended) = (Recorder<String>(), Recorder<Bool>())
    let result = await WorldRun(origin: SimulationOrigin()) { world in
      let task = Task {
        do { try await Task.sleep(for: .seconds(60)) } catch { notes.record("\(error) at \(world.clock.now.offset)") }
      }
      try await Task.sleep(for: .seconds(1))
      task.cancel()
      await task.value
      Task {
        try? await Task.sleep(for: .seconds(60))
        ended.record(Task.isCancelled)
      }
      await Task.yield()
    }(Simulation.Plan(seed: 0))
    #expect(result.failure == nil && result.leftOver == [])
    #expect(result.time == .seconds(1), "the cancelled sleep is not waited for")
    #expect(notes.recorded == ["CancellationError() at 1.0 seconds"])
    #expect(ended.recorded == [false])
  }

  @Test("A store with the clock of its own, and one with the world's, have the same time")
  func store() async {
    let notes = await notes { world in
      let store = Store(initial: 0, interactor: Waits(), configuration: StoreConfiguration())
      let receipt = store.send(.wait)
      world.note("\(await receipt.outcome)")
    }
    #expect(notes.count == 1 && notes[0].hasPrefix("30.0 seconds: "), "\(notes)")
  }

  /// Waits a minute, if its plan lets it.
  private struct Waits: Interactor {
    enum Action: Sendable { case wait }
    typealias Mutation = Int
    typealias State = Int

    func plan(for action: Action, state: Int) -> Plan { .concurrent.timeout(.seconds(30)) }

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { _ in try await Task.sleep(for: .seconds(60)) }
    }

    static func reduce(into state: inout Int, mutation: Int) { state = mutation }
  }

  @Test("Outside of worlds the system answers for itself, also on a thread of a world after its end")
  func outside() async {
    let before = Date()
    await Simulation.run(seeds: 0..<3) { _ in _ = Date() }
    #expect((0..<3_600).contains(Date().timeIntervalSince(before)))
    #expect(UUID() != UUID())
  }

  @Test("Main-actor code of a world has the world's time")
  func mainActor() async {
    let notes = await notes { world in
      try await world.clock.sleep(for: .seconds(3))
      let (here, there) = (ContinuousClock.now, await MainActor.run { ContinuousClock.now })
      world.note("\(here.duration(to: there))")
      await MainActor.run {}
      let task = Task { @MainActor in
        try await Task.sleep(for: .seconds(2))
      }
      try await task.value
      world.note("slept")
    }
    #expect(notes == ["3.0 seconds: 0.0 seconds", "5.0 seconds: slept"])
  }

  @Test("Not simulated are sleeps that block, clocks of processor time, and rand()")
  func notSimulated() async {
    srand(5)
    let first = rand()
    srand(5)
    let notes = await notes { world in
      usleep(1_000)
      let now = ContinuousClock.now
      usleep(1_000)
      var (start, end) = (timespec(), timespec())
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start)
      repeat {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end)
      } while (end.tv_sec, end.tv_nsec) <= (start.tv_sec, start.tv_nsec)
      world.note("\(now.duration(to: .now)) \(rand())")
    }
    #expect(notes == ["0.0 seconds: 0.0 seconds \(first)"])
  }

  @Test("Clocks of the system stand still after 220 years, and the world continues")
  func longTime() async {
    let notes = await notes { world in
      world.clock.advance(by: .seconds(Int64(1) << 60))
      let (date, now) = (Date(), ContinuousClock.now)
      world.clock.advance(by: .seconds(1))
      world.note("\(Date().timeIntervalSince(date)) \(now.duration(to: .now))")
    }
    #expect(notes.count == 1 && notes[0].hasSuffix(": 0.0 0.0 seconds"), "\(notes)")
  }

  @Test("The last second of the system's clocks is the one before 220 years", arguments: [-1, 0, 1])
  func lastSecond(difference: Int) async {
    let notes = await notes { world in
      world.clock.advance(by: .seconds(6_999_999_999 + difference))
      let now = ContinuousClock.now
      world.clock.advance(by: .seconds(1))
      world.note("\(now.duration(to: .now))")
    }
    #expect(notes.count == 1 && notes[0].hasSuffix(difference <= 0 ? ": 1.0 seconds" : ": 0.0 seconds"), "\(notes)")
  }

  @Test("A rule is asked with the world's time")
  func rules() async {
    let result = await WorldRun(origin: SimulationOrigin()) { world in
      let start = ContinuousClock.now
      world.always("no ten seconds pass") { start.duration(to: .now) < .seconds(10) }
      try await Task.sleep(for: .seconds(9))
      world.note("nine seconds")
      try await Task.sleep(for: .seconds(1))
    }(Simulation.Plan(seed: 0))
    #expect(result.failure?.sentence == "this does not hold always: no ten seconds pass")
    #expect(result.notes == ["9.0 seconds: nine seconds"])
  }
}

/// The function of the C library, which its module does not have.
@_silgen_name("getrandom")
private func getrandom(_ bytes: UnsafeMutableRawPointer, _ count: Int, _ flags: UInt32) -> Int

extension SystemRandomNumberGenerator {
  /// One number of it.
  fileprivate static var number: UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }
}
