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

  func plan(for errand: Errand) -> Plan { errand.plan }

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
  }

  func closing(_ errand: Errand, outcome: Outcome) -> Entry? {
    Entry(errand: errand.number, act: .closed(outcome.kind))
  }

  static func reduce(into state: inout State, mutation: Entry) {
    state.append(mutation)
  }
}

/// Counts the handlers that are out, of each way to meet.
final class Handlers: Sendable {
  struct Counts {
    var out: [Errand.Meeting: Int] = [:]
    var most: [Errand.Meeting: Int] = [:]
    var all = 0
    var mostOfAll = 0
    var begun: [Int: Int] = [:]
  }

  private let state = Lock(Counts())

  var counts: Counts { state.withLock { $0 } }

  func begin(_ errand: Errand) {
    state.withLock {
      $0.out[errand.meeting, default: 0] += 1
      $0.most[errand.meeting] = max($0.most[errand.meeting] ?? 0, $0.out[errand.meeting] ?? 0)
      $0.all += 1
      $0.mostOfAll = max($0.mostOfAll, $0.all)
      $0.begun[errand.number, default: 0] += 1
    }
  }

  func end(_ errand: Errand) {
    state.withLock {
      $0.out[errand.meeting, default: 0] -= 1
      $0.all -= 1
    }
  }
}
