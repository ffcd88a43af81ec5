import MillraceTesting
import Testing

@testable import Millrace

/// Actions that no scope forwards whole.
@Suite("Children of actions that a parent plans", .timeLimit(.minutes(1)))
struct ChildBindingTests {
  @Test(
    "An action that waits by a plan of its parent's own ends with its child, if the plan names the child",
    arguments: TownPlace.allCases)
  func ownPlan(_ place: TownPlace) async throws {
    let store = Store(initial: .open, interactor: Lane())
    let (first, second) = (Probe("first"), Probe("second"))
    store.send(place.action(first.action(.concurrent)))
    try await first.waitForStart()
    let waiting = store.send(place.action(second.action(.concurrent)))
    store.send(place.remove)
    #expect(await waiting.rejectionKind == .missingChild)
    store.send(place.add)
    first.open()
    await store.settle()
    #expect(second.starts == 0)
    #expect(await place.state(in: store.state)?.log == [])
  }

  @Test(
    "A part of several binds its actions to its children, and the plan of a child that a parent forwards by hand binds none"
  )
  func parts() async throws {
    let limits = StoreConfiguration.Limits(runsInFlight: 1)
    let store = Store(
      initial: .open, interactor: Combined(Combined(Quiet(), Town()), Quiet()),
      configuration: StoreConfiguration(limits: limits))
    let (blocker, load) = (Probe("blocker"), Probe("load"))
    store.send(.hall(blocker.action(.concurrent)))
    try await blocker.waitForStart()
    let loading = store.send(.house(1, load.action(.concurrent)))
    store.send(TownPlace.house.replace)
    #expect(await loading.outcome.kind == .cancelled)
    blocker.open()

    let byHand = Store(initial: Shell.State(town: .open), interactor: Shell())
    let (first, second) = (Probe("first"), Probe("second"))
    first.open()
    second.open()
    let receipts = [first, second].map { byHand.send(.house(1, $0.action(.serial(key: "k")))) }
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(await byHand.state.town.houses[1]?.log.last == "second done")
  }
}

/// A town that has the actions of its children one after the other.
private struct Lane: Interactor {
  let town = Town()

  func decide(_ action: Town.Action, state: Town.State) -> Decision<Town.Mutation> { town.decide(action, state: state) }

  func handle(_ action: Town.Action, state: Town.State) async -> Effect<Self> {
    await town.effect(of: action, state: state)
  }

  func plan(for action: Town.Action, state: Town.State) -> Plan {
    switch action {
    case .inn: town.inn.plan(.serial(key: "lane"), state: state)
    case .house(let id, _): town.houses.plan(.serial(key: "lane"), of: id, state: state)
    case .hall, .office, .apply, .handle: .concurrent
    }
  }

  static func reduce(into state: inout Town.State, mutation: Town.Mutation) {
    Town.reduce(into: &state, mutation: mutation)
  }
}

/// A part of a town that does nothing.
private struct Quiet: Interactor {
  func decide(_ action: Town.Action, state: Town.State) -> Decision<Town.Mutation> { .ignore }
  static func reduce(into state: inout Town.State, mutation: Town.Mutation) {}
  typealias Mutations = Effect<Self>
}

/// Forwards a town by hand.
private struct Shell: Interactor {
  struct State: Sendable {
    var town: Town.State
  }

  let town = Town()

  func decide(_ action: Town.Action, state: State) -> Decision<Town.Mutation> {
    town.decide(action, state: state.town).mapMutations { $0 }
  }

  func handle(_ action: Town.Action, state: State) async -> Effect<Self> {
    await town.handle(action, state: state.town).mapMutations(state: { $0.town }, { $0 })
  }

  func plan(for action: Town.Action, state: State) -> Plan { town.plan(for: action, state: state.town) }

  static func reduce(into state: inout State, mutation: Town.Mutation) {
    Town.reduce(into: &state.town, mutation: mutation)
  }
}
