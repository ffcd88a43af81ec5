import Millrace
import MillraceTesting

/// Does errands, and writes all that it does into its state.
struct Errands: Interactor {
  enum Act: Sendable, Hashable {
    case decided, decidedToo
    case part(Int, attempt: Int)
    case closed(Outcome.Kind)
  }

  struct Entry: Sendable, Hashable, CustomStringConvertible {
    let errand: Int
    let act: Act

    var description: String { "\(errand) \(act)" }
  }

  struct Failure: Error {}

  typealias Action = Errand
  typealias Mutation = Entry
  typealias State = [Entry]
  typealias Mutations = Effect<Self>

  let clock: TestClock
  let handlers: Handlers
  let meets: @Sendable (Errand) -> Plan

  func plan(for errand: Errand) -> Plan { meets(errand) }

  func decide(_ errand: Errand, state: State) -> Decision<Entry> {
    let decided = [Entry(errand: errand.number, act: .decided), Entry(errand: errand.number, act: .decidedToo)]
    return switch errand.end {
    case .decide: .mutate(decided)
    case .reject: .reject(Failure())
    case .finish, .fail: .mutate(decided, thenHandle: true)
    }
  }

  func handle(_ errand: Errand, state: State) -> Effect<Self> {
    Effect { run in
      handlers.begin(errand)
      defer { handlers.end(errand) }
      try await withTaskCancellationHandler {
        try await work(on: errand, run)
      } onCancel: {
        handlers.cancel(errand)
      }
    }
  }

  private func work(on errand: Errand, _ run: Run<Self>) async throws {
    for (number, part) in errand.parts.enumerated() {
      do {
        try await clock.sleep(for: part)
      } catch {
        if let deaf = errand.deafFor { await Task { try? await clock.sleep(for: deaf) }.value }
        run.emit(Entry(errand: errand.number, act: .part(number, attempt: run.attempt)))
        throw error
      }
      run.emit(Entry(errand: errand.number, act: .part(number, attempt: run.attempt)))
    }
    if errand.end == .fail { throw Failure() }
  }

  func closing(_ errand: Errand, outcome: Outcome) -> Entry? {
    Entry(errand: errand.number, act: .closed(outcome.kind))
  }

  static func reduce(into state: inout State, mutation: Entry) {
    state.append(mutation)
  }
}
