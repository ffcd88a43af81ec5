import Foundation
import Millrace
import Testing
import XCTest

@testable import MillraceTesting

@Suite("Simulation, run again")
struct SimulationReplayTests {
  /// Fails under some seeds: what is set, and in which order, depends on hashes, choices and the schedule.
  fileprivate static let body: Simulation.Body = { world in
    let written = Recorder<Int>()
    let actions = world.actions(8) { Int.random(in: 0..<1_000, using: &$0) }
    await withTaskGroup { group in
      for number in Set(actions) {
        group.addTask {
          await Task.yield()
          if world.fault(0.3) { await Task.yield() }
          written.record(number)
        }
      }
    }
    world.note("\(written.recorded)")
    let (all, last) = (written.recorded, written.recorded.last)
    world.expect(all.count < 3 || last != all.max(), "the largest is not the last")
  }

  /// All that a failing simulation tells, and what running its smallest plan again tells.
  fileprivate static func failing() async -> String {
    let failures = Failures()
    await failures.collect {
      let report = await Simulation.run(seeds: 0..<100, body)
      if let plan = report.failingPlan { await Simulation.run(plan: "\(plan)", body) }
    }
    return failures.messages.joined(separator: "\n--\n")
  }

  /// A number computed from all events of many worlds.
  fileprivate static func fingerprint() async -> String {
    let report = await Simulation.run(seeds: 0..<2_000) { world in
      await SimulationSnippets.search(.latest(key: "search"), in: world)
    }
    return "\(report.fingerprint) after \(report.steps) steps, left over: \(report.leftOverTasks)"
  }

  @Test("2,000 seeds go the same way twice, and the same way in a second process")
  func twice() async throws {
    let first = await Self.fingerprint()
    let second = await Self.fingerprint()
    #expect(first == second && first.hasSuffix(", left over: 0"), "\(first)")
    let other = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
      print("<\(await SimulationReplayTests.fingerprint())>")
    }
    let output = String(decoding: other.standardOutputContent, as: UTF8.self)
    #expect(output.contains("<\(first)>"), "\(first) \(output)")
  }

  #if canImport(Glibc)
    @Test("A failure prints all that another process needs to fail in the same way")
    func otherProcess() throws {
      let environment = [SimulatedCase.variable: "1", "SWIFT_DETERMINISTIC_HASHING": "1"]
      func told() throws -> Substring? {
        try XCTestProcess(running: "SimulatedCase/testFailing", environment: environment).output
          .split(separator: "<<<", maxSplits: 1).last?.split(separator: ">>>", maxSplits: 1).first
      }
      let text = try #require(try told())
      #expect(try told() == text)
      // The whole simulation, and its smallest plan alone.
      #expect(text.split(separator: "\n--\n").count == 2)
      #expect(text.split(separator: "this does not hold: the largest is not the last.\n").count == 3)
      #expect(text.contains("As small as it was made (actions: 3, draws: 0, scheduling decisions: "))
      #expect(!text.contains("SWIFT_DETERMINISTIC_HASHING"))
    }

    @Test("An assertion of XCTest in a body fails its seed, and the test says how to run that again")
    func assertion() throws {
      let text = try XCTestProcess(
        running: "SimulatedCase/testAssertion", environment: [SimulatedCase.variable: "1"]
      ).output
      #expect(text.contains("SimulationReplayTests.swift:\(SimulatedCase.line): error: SimulatedCase.testAssertion : "))
      #expect(
        text.contains(
          """
          SimulatedCase.testAssertion : failed - Seed 3: an assertion of XCTest failed in it: \
          SimulationReplayTests.swift:\(SimulatedCase.line): XCTAssertEqual failed: ("3") is not equal to ("4") - three is four.
          """), "\(text)")
      #expect(text.contains("To run it again: Simulation.run(seed: 3)\n"))
      // It is shown once, by XCTest and by the simulation.
      #expect(text.split(separator: "three is four").count == 3)
    }
  #endif
}

/// A case of XCTest that does as it is told, in a process of its own.
final class SimulatedCase: XCTestCase {
  static let variable = "MILLRACE_SIMULATED_CASE"
  static let line = 133

  private var isAsked: Bool { ProcessInfo.processInfo.environment[Self.variable] != nil }

  func testFailing() async {
    guard isAsked else { return }
    print("<<<\(await SimulationReplayTests.failing())>>>")
  }

  /// Main-actor work of a world has its turn in a case of XCTest too.
  func testMainActor() async {
    let report = await Simulation.run(seed: 1) { world in
      let isInTurn = await MainActor.run { WorldRuntime.isOwnedByThisThread }
      world.expect(isInTurn, "it is the world's")
    }
    XCTAssertNil(report.failingPlan)
  }

  func testAssertion() async {
    guard isAsked else { return }
    await Simulation.run(seeds: 3..<5) { world in
      XCTAssertEqual(Int(world.seed), 4, "three is four", file: #filePath, line: UInt(SimulatedCase.line))
    }
  }
}
