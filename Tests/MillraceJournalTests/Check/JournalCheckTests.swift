import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceJournal

@Suite("The check of a log against a new version", .timeLimit(.minutes(1)))
struct JournalCheckTests {
  private let lives = Lives()

  /// Leaves runs open in the log: each has done the steps of its number.
  private func leaveOpen(_ numbers: ClosedRange<Int>, recovery: Recovery = .handleAgain) async throws {
    let gate = Gate()
    let store = try await lives.open(plan: .concurrent.recovery(recovery)) { run, number in
      if number > 0 { try await run.step("charge", commit: { (_: Int) in ["charged"] }) { _ in 7 } }
      if number > 1 { try await run.sleep("grace", for: .seconds(3_600)) }
      try await run.step("ship") { _ in try await gate.enter() }
    }
    for number in numbers { store.send(.handle(number), key: "order \(number)") }
    let sleeping = numbers.count { $0 > 1 }
    try await gate.waitForArrivals(numbers.count - sleeping)
    if sleeping > 0 { try await lives.clock.waitForSleepers(sleeping) }
  }

  private func check(
    patience: Duration = .seconds(10), _ handling: @escaping Stepped.Handling
  ) async throws -> JournalCheck {
    try await JournalCheck.run(
      lives.journal, key: "k", initial: [], interactor: Stepped(handling), patience: patience)
  }

  @Test("Each open run is handled with its stored results up to the first step without one; nothing in the log changes")
  func asks() async throws {
    try await leaveOpen(0...2)
    let last = try await lives.journal.lastSequence(of: "k")
    let bodies = Recorder<String>()
    let same = try await check { run, number in
      if number > 0 {
        let value: Int = try await run.step("charge") { _ in
          bodies.record("charge")
          return 8
        }
        #expect(value == 7)
      }
      if number > 1 { try await run.sleep("grace", for: .seconds(3_600)) }
      try await run.step("ship") { _ in bodies.record("ship") }
      bodies.record("behind")
    }
    #expect(
      same.runs.map(\.finding) == [
        .asks(["ship"], unused: []), .asks(["ship"], unused: []), .asks(["ship"], unused: []),
      ])
    #expect(same.runs.map(\.key) == ["order 0", "order 1", "order 2"])
    #expect(same.runs.map(\.storedSteps) == [[], ["charge"], ["charge", "grace"]])
    let takeUps = try await lives.journal.all("k").filter { $0.entry.kind == .takeUp }
    #expect(same.runs.map(\.record) == takeUps.map(\.sequence))
    #expect(same.problems.isEmpty && same.description == "3 open runs, 0 with a problem")
    #expect(bodies.recorded.isEmpty, "no body is called, and nothing behind the first step")
    #expect(try await lives.journal.lastSequence(of: "k") == last)
  }

  @Test("Parts of a handler that run side by side ask for their steps each; a wait and a mutation once are steps, too")
  func parallel() async throws {
    try await leaveOpen(1...1)
    let check = try await check { run, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await run.step("a") { _ in } }
        group.addTask { _ = try await run.wait("b") { $0.first } }
        group.addTask { if !run.emit("c", once: "c") { throw CancellationError() } }
        group.addTask { try await run.sleep("d", for: .seconds(1)) }
        try await group.waitForAll()
      }
    }
    guard case .asks(let names, _) = check.runs.first?.finding else {
      Issue.record("\(check.runs)")
      return
    }
    #expect(names.sorted() == ["a", "b", "c", "d"])
  }

  @Test(
    "A handler that needs no more steps finishes; one that leaves stored steps out has a line, and one that fails is a problem"
  )
  func problems() async throws {
    try await leaveOpen(1...1)
    let finished = try await check { run, _ in _ = try await run.step("charge") { _ in 8 } }
    #expect(finished.runs.map(\.finding) == [.finishes(unused: [])] && finished.problems.isEmpty)
    let unused = try await check { _, _ in }
    #expect(unused.runs.map(\.finding) == [.finishes(unused: ["charge"])] && unused.problems.isEmpty)
    #expect(
      unused.description == """
        1 open runs, 0 with a problem
          record 2, key "order 1": finishes without "charge"
        """)
    let otherType = try await check { run, _ in _ = try await run.step("charge") { _ in "receipt" } }
    guard case .fails(let reason) = otherType.runs.first?.finding else {
      Issue.record("\(otherType.runs)")
      return
    }
    #expect(reason.contains("charge"))
    let alsoAsks = try await check { run, _ in
      _ = try? await run.step("new") { _ in }
      _ = try await run.step("charge") { _ in "receipt" }
    }
    #expect(alsoAsks.runs.map(\.finding) == [.fails(reason)], "a result that cannot be read ends the run first")
    struct Refused: Error {}
    let thrown = try await check { _, _ in throw Refused() }
    #expect(thrown.problems.map(\.finding) == [.fails("Refused()")])
  }

  // A renamed step looked like one that is inserted, and was no problem, though it would be done twice.
  @Test("A handler that asks for a new step before a stored one is a problem: the step was inserted there, or renamed")
  func renamedStep() async throws {
    try await leaveOpen(1...1)
    let check = try await check { run, _ in
      _ = try await run.step("pay") { _ in 7 }
      try await run.step("ship") { _ in }
    }
    #expect(check.problems.map(\.finding) == [.asks(["pay"], unused: ["charge"])])
    #expect(
      check.problems.first?.description
        == #"record 2, key "order 1": asks for "pay", and not before for "charge": it was inserted before, or renamed"#)
  }

  @Test("A check that is cancelled waits for no handler")
  func cancelled() async throws {
    try await leaveOpen(0...1)
    let never = Gate()
    let task = Task { try await check { _, _ in await never.enterIgnoringCancellation() } }
    try await never.waitForArrivals(1)
    task.cancel()
    #expect(try await task.value.runs.map(\.finding) == [.doesNotReturn, .doesNotReturn])
    never.open()
  }

  @Test("A handler that waits for a gateway outside of steps is given up, and the next one is checked")
  func doesNotReturn() async throws {
    try await leaveOpen(0...1)
    let never = Gate()
    let check = try await check(patience: .milliseconds(1)) { run, number in
      if number == 0 { await never.enterIgnoringCancellation() }
      try await run.step("next") { _ in }
    }
    #expect(check.problems.map(\.finding).first == .doesNotReturn)
    #expect(check.runs.count == 2)
    never.open()
  }

  @Test("A run that is not handled again is abandoned; one that cannot be decoded says why")
  func others() async throws {
    try await leaveOpen(0...0, recovery: .abandon)
    #expect(try await check { _, _ in }.runs.map(\.finding) == [.abandoned])
    let renamed = try await JournalCheck.run(lives.journal, key: "k", initial: [], interactor: Later())
    guard case .unreadable(let reason) = renamed.problems.first?.finding else {
      Issue.record("\(renamed.runs)")
      return
    }
    #expect(reason.hasPrefix("The action of an open run of \"k\" (record 2) cannot be decoded: "))
    #expect(try await JournalCheck.run(MemoryJournal(), key: "k", initial: [], interactor: Later()).runs.isEmpty)
  }
}

/// A later version of ``Stepped``, whose actions have other names.
private struct Later: Interactor {
  enum Action: Sendable, Codable { case later }

  func handle(_ action: Action, state: [String]) -> Effect<Self> { .none }

  static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
}
