import Foundation
import Millrace
import MillraceJournal
import Testing

@Suite("StoresScaleTests", .serialized, .timeLimit(.minutes(10)))
struct StoresScaleTests {
  @Test("K2: 1,000,000 hibernated keys beside 10,000 live ones take no more memory than those")
  func memoryOfHibernatedKeys() async throws {
    await #expect(processExitsWith: .success) {
      let stores = try await Tallies.open(live: 10_000)
      try await use(stores, 0..<20_000)
      let before = residentMegabytes()
      try await use(stores, 20_000..<20_000 + scaled(1_000_000))
      let after = residentMegabytes()
      #expect(after <= before * 6 / 5, "The memory grew from \(before) to \(after) MB.")
      #expect(stores.summary.live <= 10_000 && stores.summary.hibernated >= scaled(1_000_000))
      await stores.shutdown()
    }
  }

  @Test("K2, K3: 1,000,000 cycles of opening and hibernation over 10,000 keys keep the memory flat")
  func memoryOfCycles() async throws {
    await #expect(processExitsWith: .success) {
      let stores = try await Tallies.open(live: 100)
      try await use(stores, 0..<20_000)
      let before = residentMegabytes()
      for round in 0..<scaled(1_000_000) / 10_000 {
        try await use(stores, 0..<10_000)
        if round == 0 { #expect(stores.summary.live <= 100) }
      }
      let growth = residentMegabytes() - before
      #expect(growth < memoryLimit, "The stores grew by \(growth) MB.")
      await stores.shutdown()
    }
  }
}

/// Counts actions; a key of each number.
private struct Tallies: Interactor {
  struct State: Codable, Sendable, Equatable { var count = 0 }
  enum Action: Codable, Sendable { case add }
  enum Mutation: Codable, Sendable { case added }

  func decide(_ action: Action, state: State) -> Decision<Mutation> { .mutate(.added) }

  static func reduce(into state: inout State, mutation: Mutation) { state.count += 1 }

  static func open(live: Int) async throws -> Stores<Int, Tallies> {
    try await Stores<Int, Tallies>.open(
      name: "tallies", journal: MemoryJournal(), limits: StoresLimits(live: live), initial: { _ in State() },
      interactor: { _ in Tallies() })
  }
}

/// Reads the states of keys by several tasks, which opens each key.
private func use(_ stores: Stores<Int, Tallies>, _ keys: Range<Int>) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    for part in 0..<16 {
      group.addTask {
        for key in stride(from: keys.lowerBound + part, to: keys.upperBound, by: 16) {
          let count = try await stores.state(of: key).count
          precondition(count == 0)
        }
      }
    }
    try await group.waitForAll()
  }
}
