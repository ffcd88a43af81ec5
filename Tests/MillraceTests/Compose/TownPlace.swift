import MillraceTesting

@testable import Millrace

/// Where a child stands, and how it is removed and added again.
enum TownPlace: CaseIterable {
  case inn, house

  func action(_ action: ScriptedInteractor.Action) -> Town.Action {
    switch self {
    case .inn: .inn(action)
    case .house: .house(1, action)
    }
  }

  var remove: Town.Action {
    switch self {
    case .inn: .inn(isOpen: false)
    case .house: .remove(1)
    }
  }

  var add: Town.Action {
    switch self {
    case .inn: .inn(isOpen: true)
    case .house: .add(1)
    }
  }

  /// Removes the child and adds another one in one step.
  var replace: Town.Action {
    switch self {
    case .inn: .apply([.change("-inn") { $0.inn = nil }, .change("+inn") { $0.inn = ScriptedInteractor.State() }])
    case .house:
      .apply([.change("-1") { $0.houses[1] = nil }, .change("+1") { $0.houses[1] = ScriptedInteractor.State() }])
    }
  }

  func state(in town: Town.State) -> ScriptedInteractor.State? {
    switch self {
    case .inn: town.inn
    case .house: town.houses[1]
    }
  }
}

extension Store where I == Town {
  /// A town with an inn and house 1, and a limit for the actions of its children.
  static func town(_ limit: Int?, slots: Int, clock: TestClock) -> Store<Town> {
    var configuration = StoreConfiguration(clock: clock, limits: StoreConfiguration.Limits(runsInFlight: slots))
    configuration.report = { _ in }
    return Store(initial: .open, interactor: Town(limit: limit), configuration: configuration)
  }
}

extension Town.State {
  /// An open inn, and house 1.
  static var open: Town.State {
    Town.State(inn: ScriptedInteractor.State(), houses: [1: ScriptedInteractor.State()])
  }
}
