import Millrace
import Synchronization

/// The state of all rows: a few Ints and an array of 16.
struct Tally: Sendable {
  var total = 0
  var last = 0
  var rare = 0
  var isLoading = false
  var recent: [Int]

  init() {
    recent = Array(0..<16)
  }
}

/// The one reducer of the rows and of their references.
enum Change: Sendable {
  case add(Int)
  case setRare(Int)
  case loading
  case loaded(Countdown?)
  case ended(PlannedAction)
}

/// Applies a change; opaque, so that neither side is optimised to nothing.
@inline(never)
func apply(_ change: Change, to tally: inout Tally) {
  switch change {
  case .add(let number):
    tally.total &+= number
    tally.last = number
    tally.recent[number & 15] = number
  case .setRare(let number):
    tally.total &+= 1
    tally.rare = number
  case .loading:
    tally.isLoading = true
  case .loaded(let countdown):
    tally.isLoading = false
    tally.total &+= 1
    countdown?.arrive()
  case .ended(let action):
    tally.isLoading = false
    tally.total &+= 1
    action.arrive()
  }
}

/// Decides everything at once.
struct Deciding: Interactor {
  func decide(_ action: Change, state: Tally) -> Decision<Change> {
    .mutate(action)
  }

  func handle(_ action: Change, state: Tally) async -> Effect<Self> {
    .none
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Handles each action by an effect: loading, one yield, loaded.
struct Effecting: Interactor {
  func handle(_ action: Countdown, state: Tally) async -> Effect<Self> {
    Effect { run in
      run.emit(.loading)
      await Task.yield()
      run.emit(.loaded(action))
    }
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Handles each action by an `AsyncStream` that a task of its own fills.
struct Streaming: Interactor {
  func handle(_ action: Countdown, state: Tally) async -> AsyncStream<Change> {
    loadingStream(action)
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}

/// Loading, one yield, loaded, from a producer task; the same for the row and its reference.
func loadingStream(_ countdown: Countdown) -> AsyncStream<Change> {
  AsyncStream { continuation in
    Task {
      continuation.yield(.loading)
      await Task.yield()
      continuation.yield(.loaded(countdown))
      continuation.finish()
    }
  }
}

/// A large state of which one element changes.
struct Table: Sendable {
  static let size = 100_000
  var cells = Array(repeating: 0, count: Table.size)
  var changes = 0
}

/// Changes one element an action.
struct Tabulating: Interactor {
  func decide(_ action: Int, state: Table) -> Decision<Int> {
    .mutate(action)
  }

  func handle(_ action: Int, state: Table) async -> Effect<Self> {
    .none
  }

  static func reduce(into state: inout Table, mutation: Int) {
    change(&state, mutation)
  }

  @inline(never)
  private static func change(_ state: inout Table, _ number: Int) {
    state.cells[number % Table.size] = number
    state.changes += 1
  }
}
