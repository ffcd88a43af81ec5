import Millrace
import MillraceTesting
import Testing

@Suite("Interactor", .timeLimit(.minutes(1)))
struct InteractorTests {
  @Test("handle returns an AsyncStream, and its mutations are committed")
  func asyncStream() async {
    await expectLoads(StreamLoader())
  }

  @Test("handle returns an AsyncThrowingStream, and an error of it ends the run as failed, which is closed")
  func asyncThrowingStream() async {
    await expectLoads(ThrowingStreamLoader())
    await expectFails(ThrowingStreamLoader())
  }

  @Test("handle returns some AsyncSequence, and an error of it ends the run as failed, which is closed")
  func someAsyncSequence() async {
    await expectLoads(SomeSequenceLoader())
    await expectFails(SomeSequenceLoader())
  }

  @Test("handle of a struct returns Effect<Self>, and an error of it ends the run as failed, which is closed")
  func effectOfAStruct() async {
    await expectLoads(StructLoader())
    await expectFails(StructLoader())
  }

  @Test("handle of a final class returns an Effect of it, and an error of it ends the run as failed, which is closed")
  func effectOfAClass() async {
    await expectLoads(ClassLoader())
    await expectFails(ClassLoader())
  }

  @Test("handle of an actor returns an Effect of it, and an error of it ends the run as failed, which is closed")
  func effectOfAnActor() async {
    await expectLoads(ActorLoader())
    await expectFails(ActorLoader())
  }

  @Test("A run whose AsyncStream has not ended is cancelled: the stream is told, and what it yields is not committed")
  func aStreamIsCancelled() async throws {
    let terminated = Recorder<Void>()
    let (stream, continuation) = AsyncStream<String>.makeStream()
    continuation.onTermination = { _ in terminated.record(()) }
    continuation.yield("loading")
    let store = Store(initial: [], interactor: GivenStream(stream: stream))
    let receipt = store.send(.load)
    try await store.wait { $0 == ["loading"] }
    receipt.cancel()
    continuation.yield("too late")
    #expect(await receipt.outcome.kind == .cancelled)
    try await terminated.next()
    #expect(await store.state == ["loading", "closed: cancelled"])
  }

  @Test("An interactor that only decides needs no handle; what it would handle is rejected, and closed")
  func deciderNeedsNoHandle() async {
    let store = Store(initial: 0, interactor: Decider())
    #expect(await store.send(.add(2)).outcome.kind == .finished)
    let outcome = await store.send(.handleIt).outcome
    #expect(
      outcome.description
        == "rejected: The interactor has no `handle` for this action; write `handle`, or return another decision than "
        + "`.handle` from `decide`.")
    #expect(await store.state == -1)
  }

  @Test("decide and closing have defaults: everything is handled, and nothing is closed")
  func defaults() async {
    let store = Store(initial: 0, interactor: Undecided())
    #expect(await store.send(1).outcome.kind == .finished)
    #expect(await store.send(-1).outcome.kind == .failed)
    #expect(await store.snapshot.revision == 1)
    #expect(await store.state == 1)
  }

  private func expectLoads<I: Loader>(_ interactor: I, sourceLocation: SourceLocation = #_sourceLocation) async
  where I.Action == Load, I.Mutation == String, I.State == [String] {
    let store = Store(initial: [], interactor: interactor)
    #expect(await store.send(.load).outcome.kind == .finished, sourceLocation: sourceLocation)
    #expect(await store.state == ["loading", "loaded"], sourceLocation: sourceLocation)
  }

  private func expectFails<I: Loader>(_ interactor: I, sourceLocation: SourceLocation = #_sourceLocation) async
  where I.Action == Load, I.Mutation == String, I.State == [String] {
    let store = Store(initial: [], interactor: interactor)
    guard case .failed(let error) = await store.send(.fail).outcome else {
      Issue.record("The run did not fail", sourceLocation: sourceLocation)
      return
    }
    #expect(error as? Mishap == Mishap(), sourceLocation: sourceLocation)
    #expect(await store.state == ["loading", "closed: failed"], sourceLocation: sourceLocation)
  }
}

// MARK: One interactor for each form of handle

private enum Load: Sendable {
  case load, fail
}

private protocol Loader: Interactor where Action == Load, Mutation == String, State == [String] {}

extension Loader {
  static func reduce(into state: inout [String], mutation: String) {
    state.append(mutation)
  }

  func closing(_ action: Load, outcome: Outcome) -> String? {
    "closed: \(outcome.kind)"
  }
}

private struct StreamLoader: Loader {
  func handle(_ action: Load, state: [String]) async -> AsyncStream<String> {
    AsyncStream { continuation in
      continuation.yield("loading")
      continuation.yield("loaded")
      continuation.finish()
    }
  }
}

private struct GivenStream: Loader {
  let stream: AsyncStream<String>

  func handle(_ action: Load, state: [String]) async -> AsyncStream<String> {
    stream
  }
}

private struct ThrowingStreamLoader: Loader {
  func handle(_ action: Load, state: [String]) async -> AsyncThrowingStream<String, any Error> {
    AsyncThrowingStream { continuation in
      continuation.yield("loading")
      if action == .fail { return continuation.finish(throwing: Mishap()) }
      continuation.yield("loaded")
      continuation.finish()
    }
  }
}

private struct SomeSequenceLoader: Loader {
  func handle(_ action: Load, state: [String]) async -> some AsyncSequence<String, any Error> {
    AsyncStream<Int> { continuation in
      for number in 0..<2 { continuation.yield(number) }
      continuation.finish()
    }.map { number -> String in
      if number == 1, action == .fail { throw Mishap() }
      return number == 0 ? "loading" : "loaded"
    }
  }
}

private struct StructLoader: Loader {
  func handle(_ action: Load, state: [String]) async -> Effect<Self> {
    Effect { run in
      run.emit("loading")
      if action == .fail { throw Mishap() }
      run.emit("loaded")
    }
  }
}

private final class ClassLoader: Loader {
  func handle(_ action: Load, state: [String]) async -> Effect<ClassLoader> {
    Effect { run in
      run.emit("loading")
      if action == .fail { throw Mishap() }
      run.emit("loaded")
    }
  }
}

private actor ActorLoader: Loader {
  private var loads = 0

  func handle(_ action: Load, state: [String]) async -> Effect<ActorLoader> {
    Effect { run in
      run.emit("loading")
      if action == .fail { throw Mishap() }
      run.emit(await self.load())
    }
  }

  private func load() -> String {
    loads += 1
    return "loaded"
  }
}

private struct Decider: Interactor {
  enum Action: Sendable {
    case add(Int), handleIt
  }

  func decide(_ action: Action, state: Int) -> Decision<Int> {
    if case .add(let number) = action { .mutate(number) } else { .handle }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state = mutation
  }

  func closing(_ action: Action, outcome: Outcome) -> Int? { -1 }
}

private struct Undecided: Interactor {
  func handle(_ action: Int, state: Int) async -> Effect<Self> {
    Effect { run in
      if action < 0 { throw Mishap() }
      run.emit(action)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state += mutation
  }
}
