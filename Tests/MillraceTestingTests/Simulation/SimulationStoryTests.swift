import Foundation
import Millrace
import Testing

@testable import MillraceTesting

/// Whole texts of failures: a reader has to see the bug in them.
@Suite("Story of a failing simulation")
struct SimulationStoryTests {
  /// The text of the first failure of some seeds, without the line about hashing and with one file name.
  private func text(_ seeds: Range<UInt64> = 0..<500, _ body: @escaping Simulation.Body) async -> String {
    let failures = Failures()
    await failures.collect { await Simulation.run(seeds: seeds, body) }
    let lines = failures.messages.first?.split(separator: "\n") ?? []
    return lines.filter { !$0.contains("SWIFT_DETERMINISTIC_HASHING") }.joined(separator: "\n")
  }

  @Test(
    "A story shows at most 40 events, the last ones, and says how many there are before these", arguments: [39, 40, 41])
  func mostEvents(count: Int) throws {
    let events = (1...count).map { "event \($0)" }
    var lines = SimulationStory(events: events, state: [], passing: nil).lines(seed: 1).dropFirst()
    if count > 40 {
      let first = try #require(lines.first)
      lines = lines.dropFirst()
      #expect(first.hasPrefix("  … \(count - 40) lines before these; all are in "))
      try FileManager.default.removeItem(atPath: String(first.split(separator: " ").last ?? ""))
    }
    #expect(Array(lines) == events.suffix(40).map { "  \($0)" })
  }

  /// A stack whose slow pop compares the top alone, so that it does not see that what is below has changed: ABA.
  private struct Stack: Interactor {
    enum Action: Sendable { case pop, slowPop, giveBack }
    enum Mutation: Sendable { case pop, exchange(top: String, for: [String]), giveBack }

    struct State: Sendable {
      var free = ["a", "b"]
      var taken: [String] = []
    }

    let clock: TestClock

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .pop: .mutate(.pop)
      case .giveBack: .mutate(.giveBack)
      case .slowPop: .handle
      }
    }

    func handle(_ action: Action, state: State) -> Effect<Self> {
      Effect { run in
        guard let top = state.free.first else { return }
        try await clock.sleep(for: .seconds(1))
        run.emit(.exchange(top: top, for: Array(state.free.dropFirst())))
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .pop:
        if !state.free.isEmpty { state.taken.append(state.free.removeFirst()) }
      case .exchange(let top, let rest):
        if state.free.first == top { (state.free, state.taken) = (rest, state.taken + [top]) }
      case .giveBack:
        if !state.taken.isEmpty { state.free.insert(state.taken.removeFirst(), at: 0) }
      }
    }
  }

  @Test("An ABA bug is told by its actions, its commits as differences, and the state that broke the rule")
  func aba() async {
    let text = await text { world in
      let store = Store(
        initial: Stack.State(), interactor: Stack(clock: world.clock), configuration: world.configuration)
      world.always("nothing is free that is taken", of: store) { Set($0.free).isDisjoint(with: $0.taken) }
      for action in world.actions(6, from: [Stack.Action.pop, .slowPop, .giveBack]) { _ = store.send(action) }
      try await world.clock.sleep(for: .seconds(2))
    }
    #expect(
      text == """
        Seed 24: this does not hold always: nothing is free that is taken.
        It happened after 2 steps, at 1.0 seconds of the world's time, in world 25 of this simulation, by uniform \
        choice.
        To run it again: Simulation.run(seed: 24)
        As small as it was made (actions: 4, draws: 0, scheduling decisions: 0):
          Simulation.run(plan: "24 actions 1,3,4,5 draws none steps none")
          fails after 2 steps, at 1.0 seconds of the world's time.
        The nearest plan that passes: action 1 is left out.
          Simulation.run(plan: "24 actions 3,4,5 draws none steps none")
        Its events, with the time of the world:
          0.0 seconds:
            the body: chooses the action slowPop
            the body: chooses the action pop
            the body: chooses the action pop
            the body: chooses the action giveBack
            the body: #5@-1 slowPop is accepted by Stack
            task 2: the handler of Stack for slowPop begins
            task 2: sleeps until 1.0 seconds
            the body: #9@-1 pop is accepted by Stack
            the body: #9@-1 pop commits pop
                free[0]: removed "a"
                taken[0]: added "a"
            the body: #9@-1 pop ends: finished
            the body: #13@-1 pop is accepted by Stack
            the body: #13@-1 pop commits pop
                free[0]: removed "b"
                taken[1]: added "b"
            the body: #13@-1 pop ends: finished
            the body: #17@-1 giveBack is accepted by Stack
            the body: #17@-1 giveBack commits giveBack
                free[0]: added "a"
                taken[0]: removed "a"
            the body: #17@-1 giveBack ends: finished
            the body: sleeps until 2.0 seconds
            the time moves to 1.0 seconds
          1.0 seconds:
            task 2: #5@-1 slowPop commits exchange(top: "a", for: ["b"])
                free[0]: "a" → "b"
                taken[1]: added "a"
        The state that broke the rule:
          free: ["b"]
          taken: ["b", "a"]
        """)
  }

  /// Writes pages, one after the other for each; `.link` writes another page from inside.
  private struct Pages: Interactor {
    enum Action: Sendable, Hashable { case link(String, to: String), write(String) }

    func plan(for action: Action, state: [String]) -> Plan {
      switch action {
      case .link(let page, _), .write(let page): .serial(key: page)
      }
    }

    func handle(_ action: Action, state: [String]) -> Effect<Self> {
      Effect { run in
        if case .link(_, let other) = action { _ = await run.send(.write(other)).outcome }
        run.emit("\(action)")
      }
    }

    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }

  @Test("A deadlock is told by the actions that wait, for which key, and who has it")
  func deadlock() async {
    let text = await text { world in
      let store = Store(initial: [], interactor: Pages(), configuration: world.configuration)
      let links = world.actions(4, from: [Pages.Action.link("a", to: "b"), .link("b", to: "a"), .link("a", to: "c")])
      let receipts = links.map { store.send($0) }
      for receipt in receipts { _ = await receipt.outcome }
    }
    #expect(
      text == """
        Seed 5: deadlock, for #13@-1 waits for #25@-1, which waits for #17@-1, which waits for #21@-1, which waits for #13@-1; let all \
        actions take their keys in one order, or let no handler wait for an action that needs a key which its own action has.
        It happened after 4 steps, at 0.0 seconds of the world's time, in world 6 of this simulation, by random \
        priorities (PCT) of depth 4 for 64 steps.
        To run it again: Simulation.run(seed: 5)
        As small as it was made (actions: 3, draws: 0, scheduling decisions: 0):
          Simulation.run(plan: "5 actions 1,2,3 draws none steps none")
          fails after 3 steps, at 0.0 seconds of the world's time.
        The nearest plan that passes: action 1 is left out.
          Simulation.run(plan: "5 actions 2,3 draws none steps none")
        Its events, with the time of the world:
          0.0 seconds:
            the body: chooses the action link("a", to: "c")
            the body: chooses the action link("a", to: "b")
            the body: chooses the action link("b", to: "a")
            the body: #5@-1 link("a", to: "c") is accepted by Pages
            task 2: the handler of Pages for link("a", to: "c") begins
            task 2: #9@-1 write("c") is accepted by Pages, sent by #5@-1
            task 3: the handler of Pages for write("c") begins
            task 3: #9@-1 write("c") commits "write(\\"c\\")"
                [0]: added "write(\\"c\\")"
            task 3: #9@-1 write("c") ends: finished
            the body: #13@-1 link("a", to: "b") is accepted by Pages
            the body: #17@-1 link("b", to: "a") is accepted by Pages
            task 4: the handler of Pages for link("b", to: "a") begins
            task 4: #21@-1 write("a") is accepted by Pages, sent by #17@-1
            task 2: #5@-1 link("a", to: "c") commits "link(\\"a\\", to: \\"c\\")"
                [1]: added "link(\\"a\\", to: \\"c\\")"
            task 2: #5@-1 link("a", to: "c") ends: finished
            task 5: the handler of Pages for link("a", to: "b") begins
            task 5: #25@-1 write("b") is accepted by Pages, sent by #13@-1
        These have not ended:
          #13@-1 link("a", to: "b") has a handler that has not returned
          #17@-1 link("b", to: "a") has a handler that has not returned
          #21@-1 write("a") waits for the turn of key "a", which #13@-1 link("a", to: "b") has
          #25@-1 write("b") waits for the turn of key "b", which #17@-1 link("b", to: "a") has
        """)
  }

  @Test("An expectation shows its value by the parts, also where a smaller world has another one")
  func shownValue() async {
    struct Sums: Sendable { let (count, largest): (Int, Int) }
    let asked = Recorder<Bool>()
    let text = await text { world in
      let numbers = world.actions(5) { Int.random(in: 1..<10, using: &$0) }
      world.expect(numbers.count <= 5, "there are five", showing: asked.record(true))
      world.expect(
        !numbers.contains(7), "there is no seven", showing: Sums(count: numbers.count, largest: numbers.max() ?? 0))
    }
    #expect(text.contains("(actions: 1, draws: 0, scheduling decisions: 0)"), "\(text)")
    #expect(text.hasSuffix("The state that broke the rule:\n  count: 1\n  largest: 7"), "\(text)")
    #expect(asked.recorded.isEmpty)
  }

  @Test("Tasks that wait for each other are told by what each of them awaits")
  func awaits() async {
    let text = await text { _ in
      let second = Box<Task<Void, Never>?>(nil)
      let first = Task(name: "first") { await second.value?.value }
      second.value = Task(name: "second") { await first.value }
      await first.value
    }
    #expect(
      text == """
        Seed 0: deadlock, for task 2 (first) awaits the value of task 3 (second), which awaits the value of task 2 (first); let no task \
        await the value of a task that awaits its own, itself or through others.
        It happened after 3 steps, at 0.0 seconds of the world's time, in world 1 of this simulation, by uniform \
        choice.
        To run it again: Simulation.run(seed: 0)
        As small as it was made (actions: 0, draws: 0, scheduling decisions: 0):
          Simulation.run(plan: "0 actions none draws none steps none")
          fails after 3 steps, at 0.0 seconds of the world's time.
        A task of seed 0 never ended although cancelled: the body.
        Its events, with the time of the world:
          0.0 seconds:
            the body: awaits the value of task 2 (first)
            task 2 (first): continues in step 1; ready too: task 3 (second)
            task 2 (first): awaits the value of task 3 (second)
            task 3 (second): awaits the value of task 2 (first)
        """)
  }

  @Test("A long story is in a file, which the text names")
  func file() async throws {
    let text = await text { world in
      for number in 0..<100 { world.note("line \(number)") }
      world.expect(false, "it is short")
    }
    let line = try #require(text.split(separator: "\n").first { $0.contains("all are in") })
    #expect(line.hasPrefix("  … 61 lines before these; all are in /"))
    let path = try #require(line.split(separator: " ").last)
    let all = try String(contentsOfFile: String(path), encoding: .utf8)
    #expect(all.split(separator: "\n").count == 101 && all.contains("line 0\n") && all.contains("line 99\n"))
    #expect(text.split(separator: "\n").count <= 60)
    try FileManager.default.removeItem(atPath: String(path))
  }

  @Test("A lost update is told by the steps at which another task went first, and by the plan that passes")
  func steps() async {
    let text = await text { world in
      let count = Box(0)
      await withTaskGroup { group in
        for name in ["reader", "writer"] {
          group.addTask(name: name) {
            let read = count.value
            await Task.yield()
            count.value = read + 1
          }
        }
      }
      world.expect(count.value == 2, "nothing is lost")
    }
    #expect(
      text == """
        Seed 0: this does not hold: nothing is lost.
        It happened after 8 steps, at 0.0 seconds of the world's time, in world 1 of this simulation, by uniform \
        choice.
        To run it again: Simulation.run(seed: 0)
        As small as it was made (actions: 0, draws: 0, scheduling decisions: 0):
          Simulation.run(plan: "0 actions none draws none steps none")
          fails after 8 steps, at 0.0 seconds of the world's time.
        Its events, with the time of the world:
          0.0 seconds:
            task 2 (reader): continues in step 1; ready too: task 3 (writer)
            task 3 (writer): continues in step 2; ready too: task 2 (reader)
            task 2 (reader): continues in step 3; ready too: task 3 (writer)
            task 3 (writer): continues in step 4; ready too: task 2 (reader)
            task 2 (reader): continues in step 5; ready too: task 3 (writer)
            task 3 (writer): continues in step 6; ready too: the body
        """)
  }
}
