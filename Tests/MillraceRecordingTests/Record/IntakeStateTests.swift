import Testing

@testable import Millrace
@testable import MillraceRecording

/// What is kept, and which commits bring their states: step by step, without locks.
@Suite("Recording intake")
struct IntakeStateTests {
  typealias Buffer = EntryBuffer<Int, Int, Int>

  private let run = RunID(store: 1, action: ActionID(number: 5))

  private var cause: Cause<Int> {
    Cause(action: 7, context: RunContext(run: run, parent: nil, root: run, trace: nil))
  }

  /// Commits as a recorder does; the state is the revision.
  private func commit(_ revision: Int, _ state: inout IntakeState<Buffer>) {
    let copied = state.wantsState(at: revision) ? revision : nil
    state.commit(RecordedCommit(at: 0, revision: revision, run: run, mutation: revision), copied)
  }

  /// What waits to be written, in short.
  private func take(_ state: inout IntakeState<Buffer>) -> String {
    let entries = state.withKeep { $0.take() } ?? []
    return entries.map { entry in
      switch entry {
      case .action(let action): action.isAccepted ? "a" : "A"
      case .call: "r"
      case .commit(let commit): "c\(commit.revision)"
      case .end: "e"
      case .state(let state): "s\(state.revision)"
      case .gap(let gap): "g\(gap.missed)"
      }
    }.joined(separator: " ")
  }

  private func wakes(_ state: inout IntakeState<Buffer>) -> Bool { state.settle() }

  @Test("Every so many commits one brings its state")
  func interval() {
    var state = IntakeState(Buffer(capacity: 100), revision: 3, interval: 2)
    for revision in 4...8 { commit(revision, &state) }
    #expect(take(&state) == "c4 c5 s5 c6 c7 s7 c8")
  }

  @Test("A writer that asks for a state gets it with the next commit, once")
  func wanted() {
    var state = IntakeState(Buffer(capacity: 100), revision: 0, interval: 100)
    commit(1, &state)
    state.withKeep { $0.wantsState = true }
    commit(2, &state)
    commit(3, &state)
    #expect(take(&state) == "c1 c2 s2 c3")
  }

  @Test("What does not fit is counted, and the next commit that fits brings its state")
  func full() {
    var state = IntakeState(Buffer(capacity: 3), revision: 0, interval: 100)
    for revision in 1...5 { commit(revision, &state) }
    #expect(state.missed == 2)
    #expect(take(&state) == "c1 c2 c3")
    commit(6, &state)
    #expect(take(&state) == "g2 c6 s6")
    commit(7, &state)
    #expect(take(&state) == "c7")
    #expect(state.missed == 2)
  }

  @Test("A commit whose state does not fit beside it is left out as a whole")
  func noRoomForState() {
    var state = IntakeState(Buffer(capacity: 3), revision: 0, interval: 1)
    commit(1, &state)
    commit(2, &state)
    #expect(take(&state) == "c1 s1")
    commit(3, &state)
    #expect(take(&state) == "g1 c3 s3")
  }

  @Test("An action that ends rejected without having been accepted is told first; nothing of those that ended is kept")
  func rejected() {
    var state = IntakeState(Buffer(capacity: 100), revision: 0, interval: 100)
    state.accept(cause, at: 0)
    #expect(state.openCount == 1)
    state.end(cause, .rejected, at: 0)
    #expect(state.openCount == 0)
    state.end(cause, .rejected, at: 0)
    state.end(cause, .finished, at: 0)
    #expect(take(&state) == "a e A e e")
  }

  @Test("After the end nothing is taken")
  func over() {
    var state = IntakeState(Buffer(capacity: 100), revision: 0, interval: 1)
    state.accept(cause, at: 0)
    state.finish()
    state.accept(cause, at: 0)
    state.end(cause, .finished, at: 0)
    state.miss()
    state.call(RecordedCall(at: 0, took: 0, run: nil, name: "", request: "", reply: .cancelled))
    #expect(!state.wantsState(at: 1))
    commit(1, &state)
    #expect(take(&state) == "a")
    #expect(state.openCount == 0)
    #expect(state.missed == 0)
  }

  @Test("The writer is woken once, until it has found nothing more")
  func wakesOnce() {
    var state = IntakeState(Buffer(capacity: 100), revision: 0, interval: 100)
    #expect(!wakes(&state))
    commit(1, &state)
    #expect(wakes(&state))
    #expect(!wakes(&state))
    #expect(take(&state) == "c1")
    commit(2, &state)
    #expect(!wakes(&state))
    #expect(take(&state) == "c2")
    #expect(take(&state) == "")
    #expect(!wakes(&state))
    commit(3, &state)
    #expect(wakes(&state))
  }
}
