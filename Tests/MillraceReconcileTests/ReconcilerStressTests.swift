import Millrace
import MillraceTesting
import Testing

@testable import MillraceReconcile

/// Desires change and operations fail at random, while the performer keeps a model of its own that forgives nothing.
@Suite("Reconciler, stress", .timeLimit(.minutes(1)))
struct ReconcilerStressTests {
  /// The world outside: the operations that were performed, and the value that is desired now.
  private struct World<Desired: CheckedReconcilable>: Sendable {
    var generator: SeededGenerator
    var model: Desired
    var newest: Desired
    var changesLeft: Int
    var failures = 0

    /// Fails at random, or performs an operation, which has to fit and be the next one by the newest desire.
    ///
    /// - Returns: whether it fails, and the desire that comes meanwhile, if one does.
    mutating func meet(_ operation: Desired.Operation, isNewestKnown: Bool) -> (fails: Bool, desire: Desired?) {
      let operations = model.operations(toward: newest)
      if isNewestKnown { #expect(operation == operations.first) }
      if !model.permits(operation) { Issue.record("\(operation) is not possible on \(model).") }
      let fails = Int.random(in: 0..<10, using: &generator) < 3
      if fails { failures += 1 }
      var after = model
      after.apply(operation)
      defer { if !fails { model = after } }
      // The last operation always meets a change, so that desires follow until all changes are made.
      let changes = operations.count == 1 || Int.random(in: 0..<10, using: &generator) < 3
      guard isNewestKnown, changesLeft > 0, changes else { return (fails, nil) }
      changesLeft -= 1
      repeat { newest = .random(using: &generator) } while newest == model || newest == after
      return (fails, newest)
    }
  }

  /// Desires change only while an operation is under way, so that the newest one is known whenever one begins.
  private func changeMeanwhile<Desired: CheckedReconcilable>(_: Desired.Type, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let initial = Desired.random(using: &generator)
    var first = initial
    while first == initial { first = .random(using: &generator) }
    let world = Box(World(generator: generator, model: initial, newest: first, changesLeft: 100))
    let desires = Desires<Desired>()
    let reconciler = Reconciler(initial: initial, attempts: .max, backoff: .none, report: { _ in }) { operation in
      let (fails, desire) = world.update { $0.meet(operation, isNewestKnown: true) }
      if let desire { try await desires.give(desire) }
      if world.value.changesLeft == 0 { desires.finish() }
      if fails { throw Mishap() }
    }
    let run = Task { try await reconciler.run(following: desires) }
    try await desires.give(first)
    try await run.value
    #expect(world.value.changesLeft == 0)
    #expect(world.value.failures > 0)
    #expect(world.value.model == world.value.newest)
    #expect(reconciler.acknowledged == world.value.newest)
  }

  @Test(
    "While operations fail and desires change, each operation is the next one by the newest desire",
    arguments: 1...10)
  func meanwhile(seed: UInt64) async throws {
    try await changeMeanwhile(ReconciledPath<String>.self, seed: seed)
    try await changeMeanwhile(ReconciledSet<Int>.self, seed: seed)
    try await changeMeanwhile(ReconciledTree<String, Int>.self, seed: seed)
  }

  @Test("Whenever desires come, each operation fits, and at the end what is so is the last desire", arguments: 1...10)
  func whenever(seed: UInt64) async throws {
    typealias Tree = ReconciledTree<String, Int>
    var generator = SeededGenerator(seed: seed)
    let world = Box(World<Tree>(generator: generator, model: [:], newest: [:], changesLeft: 0))
    let desires = Desires<Tree>()
    let reconciler = Reconciler<Tree>(initial: [:], attempts: .max, backoff: .none, report: { _ in }) { operation in
      if world.update({ $0.meet(operation, isNewestKnown: false) }).fails { throw Mishap() }
    }
    let run = Task { try await reconciler.run(following: desires) }
    var last = Tree()
    for _ in 0..<200 {
      last = .random(using: &generator)
      try await desires.give(last)
    }
    desires.finish()
    try await run.value
    #expect(world.value.model == last)
    #expect(reconciler.acknowledged == last)
  }
}
