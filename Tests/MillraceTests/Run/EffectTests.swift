import MillraceTesting
import Testing

@testable import Millrace

@Suite("Effect", .timeLimit(.minutes(1)))
struct EffectTests {
  @Test("Each iteration of an effect outside a store is a run of its own, with its own idempotency key")
  func iterations() async throws {
    let keys = Recorder<String>()
    let mutations = Effect<Returner> { run in keys.record(run.idempotencyKey) }.mutations(state: [])
    for _ in 1...2 { for try await _ in mutations {} }
    #expect(Set(keys.recorded).count == 2)
  }

  @Test(
    "An effect emits what it knows, in a store and alone",
    arguments: [
      ([], "none"), ([1], "just"), ([1, 2, 3], "sequence"), ([7, 8], "closure"), ([1, 2, 3, 4], "concatenated"),
      ([1, 2], "mapped"), ([1, 9], "caught"), ([1], "nothing to catch"),
    ])
  func anEffectEmits(mutations: [Int], name: String) async throws {
    let effects: [String: Effect<Returner>] = [
      "none": .none,
      "just": .just(1),
      "sequence": .sequence([1, 2, 3]),
      "closure": Effect { run in
        run.emit(7)
        run.emit(8)
      },
      "concatenated": .concatenate([.just(1), .none, .sequence([2, 3]), Effect { $0.emit(4) }]),
      "mapped": .concatenate([
        .just(10).mapMutations { $0 / 10 }, .sequence([]).mapMutations { $0 * 2 },
        Effect { $0.emit(1) }.mapMutations { $0 * 2 },
      ]),
      "caught": Effect { run in
        run.emit(1)
        throw Mishap()
      }.catch { $0 is Mishap ? .just(9) : .none },
      "nothing to catch": .just(1).catch { _ in .just(9) },
    ]
    let effect = try #require(effects[name])
    let store = Store(initial: [], interactor: Returner(effect: effect))
    #expect(await store.send(()).outcome.kind == .finished)
    #expect(await store.state == mutations)
    var alone: [Int] = []
    for try await mutation in effect.mutations(state: []) { alone.append(mutation) }
    #expect(alone == mutations)
  }

  @Test("merge runs effects side by side: one can wait for the other")
  func mergeRunsSideBySide() async {
    let (first, second) = (Gate(), Gate())
    let effect = Effect<Returner>.merge(
      Effect { run in
        try await first.enter()
        run.emit(2)
        second.open()
      },
      Effect { run in
        run.emit(1)
        first.open()
        try await second.enter()
        run.emit(3)
      })
    let store = Store(initial: [], interactor: Returner(effect: effect))
    #expect(await store.send(()).outcome.kind == .finished)
    #expect(await store.state == [1, 2, 3])
  }

  @Test("merge: the first error cancels the others and fails the run")
  func mergeFailsTogether() async {
    let gate = Gate()
    let effect = Effect<Returner>.merge([
      Effect { _ in try await gate.enter() },
      Effect { run in
        try await gate.waitForArrivals()
        run.emit(1)
        throw Mishap()
      },
    ])
    let store = Store(initial: [], interactor: Returner(effect: effect))
    guard case .failed(let error) = await store.send(()).outcome else {
      Issue.record("The run did not fail")
      return
    }
    #expect(error as? Mishap == Mishap())
    #expect(gate.waiting == 0)
    #expect(await store.state == [1])
  }

  @Test("concatenate: the first error ends it, and the effects behind it do not run")
  func concatenateEndsWithAnError() async {
    let effect = Effect<Returner>.concatenate(.just(1), Effect { _ in throw Mishap() }, .just(2))
    let store = Store(initial: [], interactor: Returner(effect: effect))
    #expect(await store.send(()).outcome.kind == .failed)
    #expect(await store.state == [1])
  }

  @Test("catch does not continue with a run that was cancelled, or that has no handler")
  func catchLeavesCancellationAlone() async throws {
    let gate = Gate()
    let caught = Box(0)
    let end = Gate()
    let effect = Effect<Returner> { run in
      defer { end.open() }
      try await gate.enter()
    }.catch { _ in
      caught.value += 1
      return .just(1)
    }
    let store = Store(initial: [], interactor: Returner(effect: .concatenate([effect, .just(2)])))
    let receipt = store.send(())
    try await gate.waitForArrivals()
    receipt.cancel()
    try await end.enter()
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.state == [])
    let unhandled = Effect<Returner> { _ in throw NotHandled() }.catch { _ in
      caught.value += 1
      return .none
    }
    let other = Store(initial: [], interactor: Returner(effect: unhandled))
    #expect(await other.send(()).outcome.kind == .rejected)
    #expect(caught.value == 0)
  }

  @Test("A child's effect, mapped into its parent's, sees its part of the state, the id and the clock")
  func aChildsEffectIsMapped() async {
    let clock = TestClock()
    let seen = Recorder<[Int]>()
    let ids = Recorder<ActionID>()
    let child = Effect<Returner> { run in
      ids.record(run.id)
      #expect(run.clock is TestClock)
      #expect(run.emit(1))
      run.emit(2)
      seen.record(try await run.state)
    }
    let store = Store(
      initial: Parent.State(), interactor: Parent(child: child), configuration: StoreConfiguration(clock: clock))
    let receipt = store.send(())
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [[1, 2]])
    #expect(ids.recorded == [receipt.id])
    #expect(await store.state.child == [1, 2])
  }

  @Test("An effect that is iterated as a plain sequence throws, and says what to do")
  func iteratedAsItIs() async {
    let error = await #expect(throws: StoreError.self) {
      for try await _ in Effect<Returner>.just(1) {}
    }
    #expect(
      error?.description
        == "An effect has no state of its own to run on; return it from `handle`, iterate `effect.mutations(state:)`, or "
        + "map it with `mapMutations` rather than with the operators of sequences.")
  }

  @Test("Alone, an effect's run sees the fold of the given state and its mutations, and the given clock")
  func aloneTheStateIsTheFold() async throws {
    let clock = TestClock()
    let seen = Recorder<[Int]>()
    let effect = Effect<Returner> { run in
      #expect(run.clock is TestClock)
      seen.record(try await run.state)
      run.emit(2)
      run.emit(3)
      seen.record(try await run.state)
    }
    let mutations = effect.mutations(state: [1], clock: clock)
    for _ in 1...2 {  // Each iterator runs it anew.
      var alone: [Int] = []
      for try await mutation in mutations { alone.append(mutation) }
      #expect(alone == [2, 3])
      #expect(try await seen.next(2) == [[1], [1, 2, 3]])
    }
  }

  @Test("Alone, an effect throws what its closure throws, after its mutations")
  func aloneItThrows() async throws {
    let effect = Effect<Returner> { run in
      run.emit(1)
      throw Mishap()
    }
    var iterator = effect.mutations(state: []).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    await #expect(throws: Mishap()) { try await iterator.next() }
  }

  @Test("Alone, an effect is cancelled when its iteration ends, and its emissions return false")
  func aloneItIsCancelled() async throws {
    let gate = Gate()
    let emitted = Recorder<Bool>()
    let effect = Effect<Returner> { run in
      emitted.record(run.emit(1))
      try? await gate.enter()
      emitted.record(run.emit(2))
    }
    for try await mutation in effect.mutations(state: []) {
      #expect(mutation == 1)
      break
    }
    #expect(try await emitted.next(2) == [true, false])
  }
}

/// An interactor that returns one effect, whatever it is asked.
private struct Returner: Interactor {
  let effect: Effect<Self>

  func handle(_ action: Void, state: [Int]) async -> Effect<Self> {
    effect
  }

  static func reduce(into state: inout [Int], mutation: Int) {
    state.append(mutation)
  }
}

/// An interactor that does what its child does.
private struct Parent: Interactor {
  struct State: Sendable {
    var child: [Int] = []
  }

  enum Mutation: Sendable {
    case child(Int)
  }

  let child: Effect<Returner>

  func handle(_ action: Void, state: State) async -> Effect<Self> {
    child.mapMutations(state: { $0.child }, { .child($0) })
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .child(let mutation): Returner.reduce(into: &state.child, mutation: mutation)
    }
  }
}
