#if canImport(Glibc)
  import Foundation
  import Glibc
  import Millrace
  import Testing
  import XCTest

  @testable import MillraceTesting

  @Suite("Crash notice", .timeLimit(.minutes(2)))
  struct CrashNoticeTests {
    /// The text of a process whose simulation ends it in this way.
    private func text(of ending: String, backtraces: Bool = false, workers: Int = 1) throws -> String {
      let backtrace = backtraces ? "enable=yes,color=no,interactive=no" : "enable=no"
      let environment = [
        CrashingCase.variable: "1", "SWIFT_BACKTRACE": backtrace, "MILLRACE_WORKERS": "\(workers)",
      ]
      let process = try XCTestProcess(
        running: "CrashingCase/test\(ending)", environment: environment, withErrors: true)
      #expect(!process.hasPassed)
      return process.output
    }

    /// The whole notice of a seed of the case.
    private func notice(_ again: String) -> String {
      """

      Millrace: a world of the simulation at CrashNoticeTests.swift:\(CrashingCase.line) ended the process by a trap or a signal.
      To run it again: \(again)

      """
    }

    private var notice: String { notice("Simulation.run(seed: 3)") }

    @Test(
      "A trap, an abort, an overflow of the stack and a trap on the main thread name the seed, and end the process all the same",
      arguments: ["Trap", "Abort", "Overflow", "MainTrap"])
    func endings(ending: String) throws {
      let text = try text(of: ending)
      #expect(text.contains(notice), "\(text)")
      #expect(text.split(separator: "Millrace: a world").count == 2, "it is written once")
    }

    @Test("Of several worlds that run at once, the one that ends the process is named")
    func sideBySide() throws {
      let text = try text(of: "SideBySide", workers: 3)
      #expect(text.contains(notice) && text.split(separator: "Millrace: a world").count == 2, "\(text)")
    }

    @Test("The backtrace of Swift comes behind the notice", arguments: ["Trap", "Overflow"])
    func backtraces(ending: String) throws {
      let text = try text(of: ending, backtraces: true)
      let parts = text.split(separator: notice, maxSplits: 1)
      #expect(parts.count == 2 && parts[1].contains("*** Program crashed: "), "\(text)")
    }

    @Test("A world of an exploration names the exploration, for its plan alone would run another world")
    func exploring() throws {
      let text = try text(of: "Exploring")
      #expect(text.contains(notice("explore again with seed: 5, which comes to the same world")), "\(text)")
    }

    @Test("A world that has ended, and a thread outside of the world, leave no notice", arguments: ["Late", "Outside"])
    func otherEnds(ending: String) throws {
      let text = try text(of: ending)
      #expect(!text.contains("Millrace: a world"), "\(text)")
    }
  }

  /// Ends its process in a simulation, if it is told to.
  final class CrashingCase: XCTestCase {
    static let variable = "MILLRACE_CRASHING_CASE"
    static let line = 200

    private func run(_ body: @escaping @Sendable () async -> Void) async {
      guard ProcessInfo.processInfo.environment[Self.variable] != nil else { return }
      await Simulation.run(seeds: 2..<5, file: #filePath, line: UInt(Self.line)) { world in
        if world.seed == 3 { await body() }
      }
    }

    func testTrap() async { await run { Self.trap() } }

    func testAbort() async { await run { abort() } }

    func testOverflow() async { await run { _ = Self.depth(1) } }

    func testMainTrap() async { await run { await MainActor.run { Self.trap() } } }

    func testExploring() async {
      guard ProcessInfo.processInfo.environment[Self.variable] != nil else { return }
      await Simulation.explore(preemptions: 0, seed: 5, file: #filePath, line: UInt(Self.line)) { world in
        if world.fault(0.5) { Self.trap() }
      }
    }

    func testSideBySide() async {
      guard ProcessInfo.processInfo.environment[Self.variable] != nil else { return }
      let all = Arrivals()
      await Simulation.run(seeds: 2..<5, file: #filePath, line: UInt(Self.line)) { world in
        all.arrive(andWaitFor: 3)
        if world.seed == 3 { Self.trap() }
        // The others are there until the process ends.
        all.wait(for: .max)
      }
    }

    func testLate() async {
      await run {}
      if ProcessInfo.processInfo.environment[Self.variable] != nil { Self.trap() }
    }

    func testOutside() async {
      await run {
        let thread = Thread { Self.trap() }
        thread.start()
        pause()
      }
    }

    private static func trap() {
      let none: Int? = Int("none")
      print(none!)
    }

    @inline(never)
    private static func depth(_ number: Int) -> Int {
      number == 0 ? 0 : depth(number + 1) + depth(number &+ 2)
    }
  }
#endif
