import MillraceTesting
import Testing

@testable import Millrace

@Suite("The actions that runs of children send", .timeLimit(.minutes(1)))
struct ChildSendingTests {
  typealias Way = RunSendingTests.Way

  /// The position of a child.
  enum Place: CaseIterable {
    case scope, keyPath, optional, each

    func action(_ action: ScriptedInteractor.Action) -> Town.Action {
      switch self {
      case .scope: .hall(action)
      case .keyPath: .office(action)
      case .optional: .inn(action)
      case .each: .house(2, action)
      }
    }

    var name: String {
      switch self {
      case .scope: "hall"
      case .keyPath: "office"
      case .optional: "inn"
      case .each: "2"
      }
    }
  }

  @Test("A child's run sends the child's actions, as the parent's run", arguments: Place.allCases, Way.allCases)
  func sends(_ place: Place, _ way: Way) async throws {
    let store = Store.town()
    let contexts = Recorder<RunContext?>()
    let receipt = store.send(
      place.action(
        .handle { run in
          run.emit("before")
          _ = try await way.give(.commit("sent"), in: run)
          let probe = ScriptedInteractor.Action.handle { contexts.record($0.context) }
          let receipt = try await way.give(probe, in: run)
          #expect(await receipt.outcome.kind == .finished)
        }))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["\(place.name) before", "\(place.name) sent"])
    #expect(try await contexts.next()?.parent?.action == receipt.id)
  }

  @Test("A child of a child sends its actions through both")
  func throughLevels() async throws {
    let store = Store(initial: Country.State(), interactor: Country())
    store.send(.capital(.add(1)))
    let outcome = Recorder<Outcome>()
    let town = Town.Action.house(1, .handle { run in outcome.record(await run.send(.commit("sent")).outcome) })
    #expect(await store.send(.capital(town)).outcome.kind == .finished)
    #expect(try await outcome.next().kind == .finished)
    #expect(await store.state.capital.log == ["+1", "1 sent"])
  }

  // The action of a sender that discards the receipt must be reported.
  @Test(
    "Without `action(_:of:)` it is rejected with a sentence that says the fix, counted and reported",
    arguments: Way.allCases)
  func withoutAnAction(_ way: Way) async throws {
    let incidents = Recorder<Incident>()
    var configuration = StoreConfiguration()
    configuration.report = { incidents.record($0) }
    var state = Country.State()
    state.towns["x"] = Town.State()
    let store = Store(initial: state, interactor: Country(), configuration: configuration)
    let reasons = Recorder<String?>()
    let town = Town.Action.hall(
      .handle { run in
        let receipt = try await way.give(.commit("sent"), in: run)
        reasons.record(await receipt.reasonNotSent)
      })
    #expect(await store.send(.town("x", town)).outcome.kind == .finished)
    let text =
      "The run of a child sent an action of type MillraceTests.Town.Action, and nothing says which action of its parent "
      + "carries that; add `static func action(_:of:)` to MillraceTests.TownScope."
    #expect(try await reasons.next() == text)
    let incident = try await incidents.next()
    #expect(incident.kind == .missingAction)
    #expect(incident.description == text)
    #expect(incident.action != nil)
    #expect(await store.state.towns["x"]?.log == [])
    #expect(await store.metrics.rejections == [.notSent: 1])
    #expect(await store.metrics.outcomes[.finished] == 1)
  }

  @Test("Each place says what to add")
  func reasons() {
    func text(_ body: () throws -> Town.Action) -> String {
      do { return "\(try body())" } catch { return "\(error)" }
    }
    let begin =
      "The run of a child sent an action of type MillraceTests.ScriptedInteractor.Action, and nothing says which action of its parent "
      + "carries that; "
    #expect(
      text { try SilentScope.action(.commit("a")) }
        == begin + "add `static func action(_:)` to \(String(reflecting: SilentScope.self)).")
    let office = KeyPathScoped<Town, ScriptedInteractor>(ScriptedInteractor(), state: \.office) { .office($0) }
    #expect(text { try office.content.action(.commit("a")) } == begin + "pass `action` to its `KeyPathScoped`.")
  }

  @Test("A run that ended with its child sends no more")
  func removedChild() async throws {
    let store = Store.town()
    let runs = Recorder<Run<ScriptedInteractor>>()
    let gate = Gate()
    let receipt = store.send(
      .house(
        2,
        .handle { run in
          runs.record(run)
          await gate.enterIgnoringCancellation()
        }))
    let run = try await runs.next()
    store.send(.remove(2))
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await run.send(.commit("late")).reasonNotSent == RunSendingTests.runEnded)
    #expect(await store.log == ["-2"])
    gate.open()
  }

  @Test("Each part of a combination sends its actions to both")
  func combined() async throws {
    let store = Store(
      initial: ScriptedInteractor.State(), interactor: Combined(ScriptedInteractor(), ScriptedInteractor()))
    let action = ScriptedInteractor.Action(
      decide: { _ in .handle }, handle: { run, _ in #expect(await run.send(.commit("sent")).outcome.kind == .finished) }
    )
    #expect(await store.send(action).outcome.kind == .finished)
    #expect(await store.state.log.count == 8)
  }

  @Test("An effect that is mapped by hand sends what `action` makes of its action, or says that it is missing")
  func mappedByHand() async throws {
    let reasons = Recorder<String?>()
    let effect = Effect<ScriptedInteractor> { run in reasons.record(await run.send(.commit("sent")).reasonNotSent) }
    let store = Store.town()
    store.send(.handle { _, _ in effect.mapMutations(state: { $0.hall }, action: { .hall($0) }) { .hall($0) } })
    #expect(try await reasons.next() == nil)
    #expect(await store.log == ["hall sent"])
    store.send(.handle { _, _ in effect.mapMutations(state: { $0.hall }) { .hall($0) } })
    #expect(try await reasons.next()?.hasSuffix("pass `action` to `mapMutations(state:action:_:)`.") == true)
  }
}

/// Without an `action(_:)`.
private enum SilentScope: Scope {
  typealias Parent = Town
  typealias Child = ScriptedInteractor

  static func state(of parent: Town.State) -> ScriptedInteractor.State { parent.hall }
  static func mutation(_ mutation: ScriptedInteractor.Mutation) -> Town.Mutation { .hall(mutation) }
}
