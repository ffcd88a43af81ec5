#if canImport(Testing)
  import Millrace
  public import Testing

  /// Runs a test once in each of many worlds; made by `.simulated(seeds:)`.
  ///
  /// ```swift
  /// @Test(.simulated(seeds: 0..<1_000)) func loads() async throws {
  ///   let world = try #require(World.current)
  ///   let store = Store(
  ///     initial: Records.State(), interactor: Records(gateway: FakeRecords()), configuration: world.configuration)
  ///   world.always("nothing is loaded twice", of: store) { $0.loads <= 1 }
  ///   for action in world.actions(20, from: [.reload, .clear]) { store.send(action) }
  /// }
  /// ```
  ///
  /// The test is the body of a world, as with ``Simulation/run(seeds:for:options:file:line:_:)``:
  /// an expectation that fails, and an error that it throws, fail the seed. A failure stands at the line of the trait, unless it has a place of
  /// its own.
  public struct SimulatedTrait: TestTrait, TestScoping {
    let seeds: Range<UInt64>
    let time: Duration?
    let options: Simulation.Options
    let file: StaticString
    let line: UInt

    /// Runs the test in each world; called by Swift Testing.
    ///
    /// **Cancellation** ends it after the world that runs.
    ///
    /// - Throws: nothing; an error of the test fails its seed.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
      await withoutActuallyEscaping(function) { function in
        let calls = ScopeCalls(function)
        _ = await Simulation.run(
          seeds: seeds, for: time, options: options, file: file, line: line
        ) { world in
          try await World.$current.withValue(world) { try await calls() }
        }
        await calls.end()
      }
    }
  }

  /// Calls the function of a test, which may not be used any more when its scope has ended.
  private final class ScopeCalls: Sendable {
    private struct State {
      var function: (@Sendable @concurrent () async throws -> Void)?
      var open = 0
      var end: CheckedContinuation<Void, Never>?
    }

    private let state: Lock<State>

    init(_ function: @escaping @Sendable @concurrent () async throws -> Void) {
      state = Lock(State(function: function))
    }

    func callAsFunction() async throws {
      state.withLock { $0.open += 1 }
      defer {
        let end = state.withLock { state in
          state.open -= 1
          return state.open == 0 ? state.end.take() : nil
        }
        end?.resume()
      }
      try await perform()
    }

    /// The function is held no longer than this runs.
    private func perform() async throws {
      guard let function = state.withLock({ $0.function }) else { return }
      try await function()
    }

    /// Waits for the calls that have not returned, and releases the function.
    ///
    /// A call that never returns is waited for, as that of any other test; its world has failed by then.
    func end() async {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.open > 0 { state.end = continuation }
          return state.open == 0
        }
        if isOver { continuation.resume() }
      }
      state.withLock { $0.function = nil }
    }
  }

  extension Trait where Self == SimulatedTrait {
    /// Runs a test in a world for each seed, until one fails; the test takes the world from ``World/current``.
    ///
    /// - Parameters:
    ///   - seeds: the seeds to run; there is none below 0.
    ///   - time: The longest time, in real time; nil gives time for all seeds.
    ///   - options: the end of the simulation, its report, and the rules of its worlds.
    ///   - file: the file that a failure names.
    ///   - line: the line that a failure names.
    public static func simulated(
      seeds: Range<some BinaryInteger>, for time: Duration? = nil,
      options: Simulation.Options = Simulation.Options(), file: StaticString = #filePath, line: UInt = #line
    ) -> Self {
      // Not a range of its own type: literals in the arguments of a macro have their default type.
      let seeds = UInt64(clamping: seeds.lowerBound)..<UInt64(clamping: seeds.upperBound)
      return SimulatedTrait(
        seeds: seeds, time: time, options: options, file: file, line: line)
    }
  }
#endif
