#if canImport(Glibc)
  import Foundation
  import Millrace
  import Testing
  import XCTest

  @testable import MillraceTesting

  @Suite("Simulation, steps that do not end", .timeLimit(.minutes(2)))
  struct StuckStepTests {
    /// The text of a process in which a step of a world does this and does not end.
    private func text(of ending: String, workers: Int = 1) throws -> String {
      let environment = [StuckCase.variable: "1", "MILLRACE_WORKERS": "\(workers)"]
      return try XCTestProcess(running: "StuckCase/test\(ending)", environment: environment).output
    }

    private static let last = "Nothing can end the step from outside, so no further world runs in this process."

    @Test("A step that computes for ever fails its seed, with its task and the processor time")
    func computes() throws {
      let text = try text(of: "Computes")
      let sentence = """
        Seed 3: a step of the handler of Turns for turn(3) (task 2 of the world) has used 0.5 seconds of processor time and has not ended; \
        end its loop, or suspend in it (await Task.yield()). \(Self.last)
        """
      #expect(text.contains(sentence) && text.contains("To run it again: Simulation.run(seed: 3)"), "\(text)")
    }

    @Test("A step that blocks fails its seed, on the main thread too", arguments: ["Blocks", "BlocksMain"])
    func blocks(ending: String) throws {
      let text = try text(of: ending)
      let sentence = """
        Seed 3: a step of task 1 of the world has blocked its thread for 0.5 seconds; wait with await, and not for a semaphore, a lock \
        or a thread. \(Self.last)
        """
      #expect(text.contains(sentence), "\(text)")
    }

    @Test("A rule that does not return fails its seed")
    func rule() throws {
      let text = try text(of: "Rule")
      #expect(text.contains("Seed 3: a step of a rule of the world has blocked its thread"), "\(text)")
    }

    @Test("A world that waits for its turn behind such a step, and each later one, fails with the reason")
    func later() throws {
      let text = try text(of: "Later")
      let sentence = """
        Seed 0: no world runs in this process any more, because a step of an earlier world did not end; mend that one, which has failed.
        """
      #expect(text.components(separatedBy: sentence).count == 3, "\(text)")
    }

    @Test(
      "Worlds beside such a step come to their end, also one that waits for the main actor, which the world of that step uses"
    )
    func sideBySide() throws {
      let text = try text(of: "SideBySide", workers: 3)
      #expect(text.contains("Seed 3: a step of task 1 of the world has blocked its thread"), "\(text)")
      #expect(text.contains("world 4 has ended") && text.contains("world 5 has ended"), "\(text)")
    }
  }

  /// Runs worlds of which one has a step that does not end, if it is told to.
  final class StuckCase: XCTestCase {
    static let variable = "MILLRACE_STUCK_CASE"

    private struct Turns: Interactor {
      enum Action: Sendable { case turn(Int) }
      typealias Mutation = Int
      typealias State = Int

      func handle(_ action: Action, state: Int) -> Effect<Self> {
        Effect { run in
          guard case .turn(var number) = action else { return }
          await Task.yield()
          while true {
            number &+= 1
            if number == .min { run.emit(number) }
          }
        }
      }

      static func reduce(into state: inout Int, mutation: Int) { state = mutation }
    }

    private static func run(_ seeds: Range<UInt64>, _ body: @escaping Simulation.Body) async {
      guard isTold else { return }
      let origin = SimulationOrigin(stepSeconds: 0.5, file: #filePath, line: #line)
      _ = await Search(origin: origin, shrinkingAttempts: 10, body: body)(
        seeds.lazy.map { Simulation.Plan(seed: $0) })
    }

    private static var isTold: Bool { ProcessInfo.processInfo.environment[variable] != nil }

    private static func block() { DispatchSemaphore(value: 0).wait() }

    func testComputes() async {
      await Self.run(2..<5) { world in
        guard world.seed == 3 else { return }
        let store = Store(initial: 0, interactor: Turns(), configuration: world.configuration)
        _ = await store.send(.turn(3)).outcome
      }
    }

    func testBlocks() async { await Self.run(3..<5) { _ in Self.block() } }

    /// For a while, since the process ends on its main thread.
    func testBlocksMain() async { await Self.run(3..<5) { _ in await MainActor.run { _ = sleep(3) } } }

    func testRule() async {
      await Self.run(3..<5) { world in
        world.always("it returns") {
          Self.block()
          return true
        }
      }
    }

    func testSideBySide() async {
      let blocks = Arrivals()
      await Self.run(3..<6) { world in
        if world.seed == 3 {
          await MainActor.run {}
          blocks.arrive()
          Self.block()
        }
        blocks.wait(for: 1)
        if world.seed == 4 { await MainActor.run {} }
        print("world \(world.seed) has ended")
      }
    }

    func testLater() async {
      guard Self.isTold else { return }
      let isBlocking = Gate()
      async let stuck: Void = Self.run(3..<5) { _ in
        isBlocking.open()
        Self.block()
      }
      do { try await isBlocking.enter() } catch { XCTFail("\(error)") }
      async let waiting: Void = Self.run(0..<2) { _ in }
      _ = await (stuck, waiting)
      await Self.run(0..<2) { _ in }
    }
  }

  @Suite("StepLimit")
  struct StepLimitTests {
    private static let step = StepWatch.Step(number: 1, task: 1, thread: 7)

    /// The number of looks until a verdict on one step, and the verdict, for a thread whose processor time moves so.
    private func verdict(_ used: [Int64]) -> (looks: Int, verdict: StepLimit.Verdict)? {
      var limit = StepLimit()
      for (look, used) in used.enumerated() {
        if let verdict = limit.look(at: Self.step, limit: 1_000, { _ in used }) { return (look, verdict) }
      }
      return nil
    }

    @Test("A step that uses the whole time computes, as soon as it has")
    func computes() throws {
      let found = try #require(verdict([50, 400, 1_049, 1_050]))
      #expect(found.looks == 3 && found.verdict == .computes)
    }

    @Test("A step that uses none at ten looks in a row blocks, also after it has computed")
    func blocks() throws {
      let found = try #require(verdict([0, 100] + Array(repeating: 100, count: 10)))
      #expect(found.looks == 11 && found.verdict == .blocks)
      #expect(verdict([0, 100] + Array(repeating: 100, count: 9)) == nil)
    }

    @Test("A step that waits for a processor, and gets a little of it, may continue")
    func starved() {
      #expect(verdict((0..<100).map { Int64($0) * 9 }) == nil)
    }

    @Test("Another step begins anew, and where none runs there is nothing to say")
    func other() {
      var limit = StepLimit()
      for number in 0..<40 {
        let step = StepWatch.Step(number: 2 * (number / 4) + 1, task: 1, thread: 7)
        #expect(limit.look(at: step, limit: 1_000) { _ in 300 * Int64(number % 4) } == nil)
      }
      for _ in 0..<40 { #expect(limit.look(at: nil, limit: 1_000) { _ in 0 } == nil) }
    }
  }
#endif
