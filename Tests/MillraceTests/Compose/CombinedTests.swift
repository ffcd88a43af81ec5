import MillraceTesting
import Testing

@testable import Millrace

@Suite("Combined", .timeLimit(.minutes(1)))
struct CombinedTests {
  /// One part: what it says of every action, and its name before all it reduces.
  private struct Part<Name: PartName>: Interactor {
    var decision: @Sendable ([String]) -> Decision<String> = { _ in .handle }
    var effect: Effect<Part> = .none
    var plan = Plan.concurrent
    var close: String?

    func decide(_ action: Int, state: [String]) -> Decision<String> { decision(state) }
    func handle(_ action: Int, state: [String]) async -> Effect<Part> { effect }
    func plan(for action: Int, state: [String]) -> Plan { plan }
    func closing(_ action: Int, outcome: Outcome) -> String? { close }
    static func reduce(into state: inout [String], mutation: String) { state.append("\(Name.text) \(mutation)") }
  }

  /// A part that only decides.
  private struct Deciding: Interactor {
    func decide(_ action: Int, state: [String]) -> Decision<String> { .handle }
    static func reduce(into state: inout [String], mutation: String) {}
    typealias Mutations = Effect<Self>
  }

  private func store<I: Interactor>(_ interactor: I) -> Store<I> where I.State == [String] {
    Store(initial: [], interactor: interactor)
  }

  private func outcome<I: Interactor>(of interactor: I) async -> String where I.State == [String], I.Action == Int {
    let store = store(interactor)
    let outcome = await store.send(0).outcome
    return withExtendedLifetime(store) { "\(outcome)" }
  }

  private typealias A = Part<NameA>
  private typealias B = Part<NameB>

  @Test("L3: both decide on the same state, and their mutations are one step, the first's first, each reduced by both")
  func decideTogether() async {
    let store = store(
      Combined(A { .mutate("a after \($0.count)") }, B { .mutate(["b after \($0.count)", "c"]) }))
    let receipt = store.send(0)
    #expect(await receipt.outcome.kind == .finished)
    #expect(
      await store.state == ["A a after 0", "B a after 0", "A b after 0", "B b after 0", "A c", "B c"])
    #expect(await receipt.lastRevision == 3)
  }

  @Test("The decisions of two parts are combined into one")
  func decisions() {
    let table: [(Decision<String>, Decision<String>, String)] = [
      (.ignore, .ignore, ""), (.ignore, .handle, "handle"), (.handle, .ignore, "handle"), (.handle, .handle, "handle"),
      (.mutate("a"), .ignore, "a"), (.ignore, .mutate("b"), "b"), (.mutate("a"), .mutate("b"), "a b"),
      (.mutate("a"), .handle, "a handle"), (.handle, .mutate("b"), "b handle"),
      (.mutate(["a", "b"]), .mutate("c", thenHandle: true), "a b c handle"),
      (.mutate("a", thenHandle: true), .mutate(["b"]), "a b handle"), (.handle, .mutate(["a", "b"]), "a b handle"),
      (.reject(Mishap()), .mutate("b"), "reject"), (.mutate("a"), .reject(Mishap()), "reject"),
      (.ignore, .reject(Mishap()), "reject"), (.reject(Mishap()), .ignore, "reject"),
      (.handle, .reject(Mishap()), "reject"),
    ]
    for (first, second, expected) in table {
      let joined = Combined(A { _ in first }, B { _ in second }).decide(0, state: [])
      let words = joined.mutations + (joined.handles ? ["handle"] : []) + (joined.rejection == nil ? [] : ["reject"])
      #expect(words.joined(separator: " ") == expected)
    }
  }

  @Test("The first rejection is the one that counts, and nothing is committed")
  func rejection() async {
    let store = store(Combined(A { _ in .reject(Mishap()) }, B { _ in .reject(CancellationError()) }))
    guard case .rejected(.decided(let error)) = await store.send(0).outcome else {
      Issue.record("the action was not rejected")
      return
    }
    #expect(error is Mishap)
    #expect(await store.state == [])
  }

  @Test("Both handlers run side by side")
  func handleSideBySide() async throws {
    let (first, second) = (Gate(), Gate())
    let store = store(
      Combined(
        A(
          effect: Effect { run in
            try await first.enter()
            run.emit("a")
          }),
        B(
          effect: Effect { run in
            try await second.enter()
            run.emit("b")
          })))
    let receipt = store.send(0)
    try await first.waitForArrivals()
    try await second.waitForArrivals()
    second.open()
    try await store.wait { !$0.isEmpty }
    first.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.state == ["A b", "B b", "A a", "B a"])
  }

  @Test("The error of one part cancels the other, and is the run's")
  func errorOfOne() async {
    let gate = Gate()
    let store = store(
      Combined(A(effect: Effect { _ in try await gate.enter() }), B(effect: Effect { _ in throw Mishap() })))
    guard case .failed(let error) = await store.send(0).outcome else {
      Issue.record("the error was lost")
      return
    }
    #expect(error is Mishap)
  }

  @Test("Two effects known without a task combine into one known without a task, the first one's mutations first")
  func known() async {
    let effect = await Combined(A(effect: .just("a")), B(effect: .sequence(["b", "c"]))).handle(0, state: [])
    guard case .known(let mutations) = effect.content else {
      Issue.record("the effect is not known at once")
      return
    }
    #expect(mutations == ["a", "b", "c"])
  }

  @Test("A part without a handler is skipped, wherever it stands; where none has one the action is rejected")
  func withoutHandler() async {
    let part = A(effect: .just("a"))
    #expect(await outcome(of: Combined(Deciding(), part)) == "finished")
    #expect(await outcome(of: Combined(part, Deciding())) == "finished")
    #expect(await outcome(of: Combined(Deciding(), Combined(Deciding(), part))) == "finished")
    let notHandled = "\(Outcome.rejected(.notHandled))"
    #expect(await outcome(of: Combined(Deciding(), Deciding())) == notHandled)
    #expect(await outcome(of: Combined(Deciding(), Combined(Deciding(), Deciding()))) == notHandled)
    // Those that find out only when they run.
    let late = A(effect: .concatenate([Effect(content: .notHandled)]))
    let later = B(effect: .concatenate([Effect(content: .notHandled)]))
    #expect(await outcome(of: Combined(late, B(effect: Effect { $0.emit("b") }))) == "finished")
    #expect(await outcome(of: Combined(late, later)) == notHandled)
  }

  @Test("The first plan that is not concurrent, and the first closing mutation there is, are those of both")
  func planAndClosing() async {
    let serial = Plan.serial(key: "k")
    #expect(Combined(A(plan: serial), B(plan: .latest(key: "k"))).plan(for: 0, state: []).terms === serial.terms)
    #expect(Combined(A(), B(plan: serial)).plan(for: 0, state: []).terms === serial.terms)
    #expect(Combined(A(), B()).plan(for: 0, state: []).terms == nil)
    #expect(Combined(A(close: "a"), B(close: "b")).closing(0, outcome: .cancelled) == "a")
    #expect(Combined(A(), B(close: "b")).closing(0, outcome: .cancelled) == "b")
    #expect(Combined(A(), B()).closing(0, outcome: .cancelled) == nil)
  }
}

/// The name of a part, as a type, for `reduce` is static.
private protocol PartName: Sendable {
  static var text: String { get }
}

private enum NameA: PartName {
  static let text = "A"
}

private enum NameB: PartName {
  static let text = "B"
}
