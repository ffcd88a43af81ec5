import Foundation
import MillraceTesting
import Synchronization

@testable import Millrace

/// Numbers, in the order in which they were added.
struct Ledger: Interactor {
  typealias Handling = @Sendable (Run<Ledger>, Int) async throws -> Void

  enum Action: Sendable {
    case add([Int])
    case addSerially([Int])
    case reject
    case rejectClosing(Int)
    case load(Int)
    case loadSerially(Int)
    case share(Int)
  }

  struct Refusal: Error {}

  typealias Mutation = Int
  typealias State = [Int]

  let handling: Handling

  func plan(for action: Action, state: [Int]) -> Plan {
    switch action {
    case .addSerially: .serial(key: "add")
    case .loadSerially: .serial(key: "load")
    case .share: .shared(key: "share")
    case .add, .reject, .rejectClosing, .load: .concurrent
    }
  }

  func decide(_ action: Action, state: [Int]) -> Decision<Int> {
    switch action {
    case .add(let numbers), .addSerially(let numbers): numbers.count == 1 ? .mutate(numbers[0]) : .mutate(numbers)
    case .reject, .rejectClosing: .reject(Refusal())
    case .load(let number), .loadSerially(let number): .mutate(number, thenHandle: true)
    case .share: .handle
    }
  }

  func handle(_ action: Action, state: [Int]) -> Effect<Self> {
    Effect { run in
      switch action {
      case .load(let number), .loadSerially(let number), .share(let number): try await handling(run, number)
      case .add, .addSerially, .reject, .rejectClosing: break
      }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Int? {
    switch action {
    case .load(let number), .loadSerially(let number): -number
    case .rejectClosing(let number): number
    case .add, .addSerially, .reject, .share: nil
    }
  }

  static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
}

/// The failure of a scripted journal.
struct ScriptedFailure: Error {}

/// A journal whose entries become durable when the test says so; it cannot encode the number 13.
final class ScriptedJournal<Action: Sendable, State: Sendable>: JournalSink {
  typealias Mutation = Int

  private struct Content {
    var entries: [String] = []
    /// By entry, the newest revision before it, and behind it.
    var revisions: [(before: Int, after: Int)] = []
    var durable = 0
    var flushed = 0
    weak var store: (any JournaledStore)?
  }

  let gate = DurabilityGate()
  private let content = Mutex(Content())
  private let handedOver = Recorder<String>()

  func attach(to store: any JournaledStore) { content.withLock { $0.store = store } }

  var entries: [String] { content.withLock { $0.entries } }
  var revisions: [Int] { content.withLock { $0.revisions.map(\.before) } }

  let flushTime = Duration.seconds(30)
  let logNames = RunKey.names(["log"])

  func giveUp() -> any Error { ScriptedFailure() }

  func append(_ entry: StoreEntry<Action, Int>, in room: JournalRoom, after revision: Int) throws {
    let (text, mutations) = Self.text(entry)
    if mutations.contains(13) { throw ScriptedFailure() }
    content.withLock { content in
      content.entries.append(text)
      content.revisions.append((revision, revision + mutations.count))
    }
  }

  func flush() -> Bool {
    let entries = content.withLock { content in
      defer { content.flushed = content.entries.count }
      return content.entries[content.flushed...]
    }
    for entry in entries { handedOver.record(entry) }
    return false
  }

  func takeSnapshot(of state: State, revision: Int) {}

  func takeLastSnapshot(of state: State, revision: Int, then work: @escaping @Sendable () -> Void) { work() }

  func result(of key: String) -> KeyedResult? { nil }

  var metrics: Metrics.Journal { content.withLock { Metrics.Journal(state: .writable, records: $0.durable) } }

  let stepLimits = StepLimits()

  func loggedRun(of id: ActionID) -> (record: UInt64, deaths: Int)? { nil }

  var unreadableRuns: [OpenRun<Action>] { [] }
  var unreadableCount: Int { 0 }

  func note(wake time: Int64?) {}
  func hasStored(wake time: Int64?) -> Bool { true }

  func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] { Array(try JSONEncoder().encode([value])) }

  func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode([Value].self, from: Data(bytes))[0]
  }

  private static func text(_ entry: StoreEntry<Action, Int>) -> (String, [Int]) {
    switch entry {
    case .decided(let mutations, let result): ("decided \(mutations.all)\(keys(result))", mutations.all)
    case .takenUp(let action, _, _, _, let mutations): ("taken up \(action) \(mutations.all)", mutations.all)
    case .emitted(let mutation, _): ("emitted \(mutation)", [mutation])
    case .step(let step, let mutations, _):
      ("step \(step.map { "\($0.kind) \($0.name) " } ?? "")\(mutations)", mutations)
    case .ended(_, let outcome, let closing?, _): ("ended \(outcome.kind) closing \(closing)", [closing])
    case .ended(_, let outcome, nil, let result): ("ended \(outcome.kind)\(keys(result))", [])
    case .joined(_, let key, let leaves): ("\(leaves ? "left" : "joined") \(key)", [])
    case .resumed(_, let deaths): ("resumed \(deaths)", [])
    case .rests: ("rests", [])
    case .mark: ("mark", [])
    }
  }

  private static func keys(_ result: KeyedResult?) -> String {
    result.map { " for \($0.keys.joined(separator: " ")), \($0.revisions.map { "\($0)" } ?? "no revisions")" } ?? ""
  }

  // MARK: For the test

  /// Waits until this number of entries was handed over since the beginning.
  func waitForEntries(_ count: Int) async throws {
    while content.withLock({ $0.flushed }) < count { _ = try await handedOver.next() }
  }

  /// Makes the next entries durable.
  func store(_ count: Int) {
    let (position, revision) = content.withLock { content in
      content.durable += count
      precondition(content.durable <= content.flushed, "only entries that were handed over can be stored")
      return (DurabilityGate.restoredPosition + content.durable, content.revisions[content.durable - 1].after)
    }
    gate.advance(to: position, revision: revision)
  }

  func fail() { content.withLock { $0.store }?.journalHasFailed(ScriptedFailure()) }

  func setCrowded(_ isCrowded: Bool) {
    gate.setCrowded(isCrowded)
    if !isCrowded { content.withLock { $0.store }?.journalIsRelieved() }
  }
}
