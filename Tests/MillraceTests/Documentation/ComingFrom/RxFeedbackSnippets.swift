import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-rxfeedback.md, as they stand there.
enum RxFeedbackSnippets {
  // snippet.PlayCatch
  struct PlayCatch: Interactor {
    struct State: Sendable, Equatable {
      var machineHasIt = false
      var pitches = 0

      struct Pitch: Hashable, Sendable {
        let number: Int
      }

      var machinePitching: Pitch? { machineHasIt ? Pitch(number: pitches) : nil }
    }

    enum Action: Sendable {
      case throwToMachine
      case throwToHuman
    }

    func decide(_ action: Action, state: State) -> Decision<Action> {
      .mutate(action)
    }

    static func reduce(into state: inout State, mutation: Action) {
      switch mutation {
      case .throwToMachine:
        state.machineHasIt = true
        state.pitches += 1
      case .throwToHuman: state.machineHasIt = false
      }
    }
  }
  // snippet.end

  static func play(_ state: PlayCatch.State, clock: any Clock<Duration>) -> Store<PlayCatch> {
    // snippet.feedback
    let store = Store(
      initial: state, interactor: PlayCatch(), configuration: StoreConfiguration(clock: clock),
      feedbacks: [
        .react(to: \.machinePitching) { _, access in
          try? await access.clock.sleep(for: .seconds(1))
          access.send(.throwToHuman)
        }
      ])
    // snippet.end
    return store
  }

  static func bind(
    _ store: Store<PlayCatch>, taps: AsyncStream<Void>, label: @escaping @Sendable (String) -> Void
  ) async {
    // snippet.values
    async let showing: Void = {
      for await hasIt in store.values(of: \.machineHasIt) { label(hasIt ? "The machine has it" : "I have it") }
    }()
    for await _ in taps { store.send(.throwToMachine) }
    await showing
    // snippet.end
  }
}

@Suite("Play catch, coming from RxFeedback", .timeLimit(.minutes(1)))
struct RxFeedbackSnippetsTests {
  private typealias PlayCatch = RxFeedbackSnippets.PlayCatch
  private let clock = TestClock()

  @Test("The machine throws the ball back a second after it got it, each time")
  func throwsBack() async throws {
    let store = RxFeedbackSnippets.play(PlayCatch.State(), clock: clock)
    for number in 1...3 {
      store.send(.throwToMachine)
      try await clock.waitForSleepers(1)
      #expect(await store.state == PlayCatch.State(machineHasIt: true, pitches: number))
      clock.advance(by: .seconds(1))
      try await store.wait(until: { !$0.machineHasIt })
    }
    #expect(await store.snapshot.revision == 6)
  }

  @Test("When the state does not ask for the effect any more it is cancelled, and what it sends then is not accepted")
  func cancelled() async throws {
    let late = Recorder<String>()
    let gate = Gate()
    let store = Store(
      initial: PlayCatch.State(), interactor: PlayCatch(),
      feedbacks: [
        .react(to: \.machinePitching) { pitch, access in
          do {
            try await gate.enter()
          } catch {
            _ = await access.send(.throwToMachine).outcome
            late.record("\(pitch.number) is over")
          }
        }
      ])
    store.send(.throwToMachine)
    try await gate.waitForArrivals(1)
    store.send(.throwToHuman)
    #expect(try await late.next() == "1 is over")
    #expect(await store.state == PlayCatch.State(pitches: 1))
  }

  @Test("A state that is restored with the ball at the machine has it thrown back")
  func restored() async throws {
    let store = RxFeedbackSnippets.play(PlayCatch.State(machineHasIt: true, pitches: 7), clock: clock)
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await store.wait(until: { !$0.machineHasIt }) == PlayCatch.State(pitches: 7))
  }

  @Test("An interface shows what it is told and sends taps")
  func bound() async throws {
    let store = RxFeedbackSnippets.play(PlayCatch.State(), clock: clock)
    let (taps, tap) = AsyncStream.makeStream(of: Void.self)
    let labels = Recorder<String>()
    let task = Task { await RxFeedbackSnippets.bind(store, taps: taps) { labels.record($0) } }
    #expect(try await labels.next() == "I have it")
    tap.yield()
    #expect(try await labels.next() == "The machine has it")
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await labels.next() == "I have it")
    tap.finish()
    await store.shutdown()
    await task.value
  }
}
