import Testing

@testable import Millrace
@testable import MillraceRecording

/// The entries that are kept, and the commits that bring their states, step by step and without locks.
@Suite("Recording intake")
struct IntakeStateTests {
  typealias Buffer = EntryBuffer<Int, Int, Int>

  private let run = RunID(store: 1, action: ActionID(number: 5))

  private var cause: Cause<Int> {
    Cause(action: 7, context: RunContext(run: run, parent: nil, root: run, trace: nil))
  }

  private func buffer(_ capacity: Int) -> Buffer {
    Buffer(capacity: capacity, bytes: 1 << 20, sizes: EncodedSizes())
  }

  /// Commits as a recorder does; the state is the revision.
  private func commit(_ revision: Int, _ state: inout IntakeState<Buffer>) {
    let copied = state.wantsState(at: revision) ? revision : nil
    state.commit(RecordedCommit(at: 0, revision: revision, run: run, mutation: revision), copied)
  }

  /// The entries that wait to be written, as a short text.
  private func take(_ state: inout IntakeState<Buffer>) -> String {
    text(state.withKeep { $0.take() } ?? [])
  }

  private func text(_ entries: [Buffer.Entry]) -> String {
    entries.map { entry in
      switch entry {
      case .action(let action): action.isAccepted ? "a" : "A"
      case .call: "r"
      case .commit(let commit): "c\(commit.revision)"
      case .rest: "p"
      case .step: "t"
      case .end: "e"
      case .state(let state): "s\(state.revision)"
      case .gap(let gap): "g\(gap.missed)"
      }
    }.joined(separator: " ")
  }

  private func wakes(_ state: inout IntakeState<Buffer>) -> Bool { state.settle() }

  private func goesOn(_ state: inout IntakeState<Buffer>) -> Bool { state.withKeep { $0.keepsWriterAwake() } }

  @Test("One of every n commits brings its state")
  func interval() {
    var state = IntakeState(buffer(100), revision: 3, interval: 2)
    for revision in 4...8 { commit(revision, &state) }
    #expect(take(&state) == "c4 c5 s5 c6 c7 s7 c8")
  }

  @Test("A writer that asks for a state while one waits gets that one, and no second")
  func wantedTwice() {
    var state = IntakeState(buffer(100), revision: 0, interval: 100)
    state.withKeep { $0.askForState() }
    commit(1, &state)
    state.withKeep { $0.askForState() }
    commit(2, &state)
    #expect(take(&state) == "c1 s1 c2")
    commit(3, &state)
    state.withKeep { $0.askForState() }
    commit(4, &state)
    #expect(take(&state) == "c3 c4 s4")
  }

  @Test("A writer that asks for a state gets it with the next commit, once")
  func wanted() {
    var state = IntakeState(buffer(100), revision: 0, interval: 100)
    commit(1, &state)
    state.withKeep { $0.askForState() }
    commit(2, &state)
    commit(3, &state)
    #expect(take(&state) == "c1 c2 s2 c3")
  }

  @Test("Entries that do not fit are counted, and the next commit that fits brings its state")
  func full() {
    var state = IntakeState(buffer(3), revision: 0, interval: 100)
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
    var state = IntakeState(buffer(3), revision: 0, interval: 1)
    commit(1, &state)
    commit(2, &state)
    #expect(take(&state) == "c1 s1")
    commit(3, &state)
    #expect(take(&state) == "g1 c3 s3")
  }

  @Test("An action is told as accepted or refused by who knows, and its end says nothing of that")
  func refused() {
    var state = IntakeState(buffer(100), revision: 0, interval: 100)
    state.accept(cause, at: 0)
    state.end(RecordedEnd(at: 0, run: run, outcome: .rejected))
    state.refuse(cause, at: 0)
    state.end(RecordedEnd(at: 0, run: run, outcome: .rejected))
    state.end(RecordedEnd(at: 0, run: run, outcome: .rejected))
    #expect(take(&state) == "a e A e e")
  }

  @Test("The end tells a gap that was not told, and the last state if it is that of the last commit and was not told")
  func end() {
    func last(_ revision: Int) -> Snapshot<Int> { Snapshot(revision: revision, state: revision) }
    func told(_ last: Snapshot<Int>?, interval: Int = 100, _ before: (inout IntakeState<Buffer>) -> Void) -> String {
      var state = IntakeState(buffer(3), revision: 0, interval: interval)
      before(&state)
      return text(state.finish(with: last, at: 0))
    }
    #expect(told(last(1)) { commit(1, &$0) } == "s1")
    #expect(told(nil) { commit(1, &$0) } == "")
    #expect(told(last(2)) { commit(1, &$0) } == "")
    #expect(told(last(0)) { _ in } == "")
    #expect(told(last(1), interval: 1) { commit(1, &$0) } == "")
    #expect(
      told(last(1)) {
        commit(1, &$0)
        $0.miss()
      } == "g1 s1")
    #expect(told(last(5)) { state in for revision in 1...5 { commit(revision, &state) } } == "g2")
    #expect(
      told(last(1)) {
        commit(1, &$0)
        _ = $0.finish(with: nil, at: 0)
      } == "")
  }

  @Test("An entry is taken as long as fewer bytes wait than may, as far as sizes are known")
  func bytes() {
    let sizes = EncodedSizes()
    var state = IntakeState(Buffer(capacity: 100, bytes: 1_000, sizes: sizes), revision: 0, interval: 2)
    sizes.note(300, of: .commit)
    sizes.note(2_000, of: .state)
    for revision in 1...4 { commit(revision, &state) }
    #expect(take(&state) == "c1 c2 s2")
    for revision in 5...7 { commit(revision, &state) }
    #expect(take(&state) == "g2 c5 s5")
    // Of what is small in most cases many may wait again.
    for _ in 0..<100 { sizes.note(16, of: .commit) }
    for revision in 8...9 { commit(revision, &state) }
    #expect(take(&state) == "g2 c8 s8")
    commit(9, &state)
    #expect(sizes.expected(of: .commit, withState: false) < EncodedSizes.least + 32)
  }

  @Test(
    "The last entry that is taken is added at one byte less than may wait", arguments: [(935, 2), (936, 1), (937, 1)])
  func bytesAtLimit(size: Int, taken: Int) {
    let sizes = EncodedSizes()
    sizes.note(size, of: .commit)
    let buffer = Buffer(capacity: 100, bytes: EncodedSizes.least + 936, sizes: sizes)
    var state = IntakeState(buffer, revision: 0, interval: 100)
    for revision in 1...3 { commit(revision, &state) }
    #expect(state.missed == 3 - taken)
  }

  @Test("The text of an error counts among the bytes that wait", arguments: [(935, 2), (936, 1)])
  func errorBytes(size: Int, taken: Int) {
    let buffer = Buffer(capacity: 100, bytes: EncodedSizes.least + 936, sizes: EncodedSizes())
    var state = IntakeState(buffer, revision: 0, interval: 100)
    let error = String(repeating: "x", count: size)
    for _ in 1...3 { state.end(RecordedEnd(at: 0, run: run, outcome: .failed, error: error)) }
    #expect(state.missed == 3 - taken)
  }

  @Test("A buffer has room for three entries and for one byte, however little it was given", arguments: [-1, 0, 1])
  func smallest(size: Int) {
    let buffer = Buffer(capacity: size, bytes: size, sizes: EncodedSizes())
    #expect(buffer.capacity == 3 && buffer.bytes == 1)
  }

  @Test("After the end nothing is taken")
  func over() {
    var state = IntakeState(buffer(100), revision: 0, interval: 1)
    state.accept(cause, at: 0)
    _ = state.finish(with: nil, at: 0)
    state.accept(cause, at: 0)
    state.refuse(cause, at: 0)
    state.end(RecordedEnd(at: 0, run: run, outcome: .finished))
    state.miss()
    state.call(RecordedCall(at: 0, took: 0, run: nil, name: "", request: "", reply: .cancelled))
    #expect(!state.wantsState(at: 1))
    commit(1, &state)
    #expect(take(&state) == "a")
    #expect(state.missed == 0)
  }

  @Test("The writer is woken once, until it has found nothing more")
  func wakesOnce() {
    var state = IntakeState(buffer(100), revision: 0, interval: 100)
    #expect(!wakes(&state))
    commit(1, &state)
    #expect(wakes(&state))
    #expect(!wakes(&state))
    #expect(take(&state) == "c1")
    commit(2, &state)
    #expect(!wakes(&state))
    #expect(goesOn(&state))
    // A flush takes all before the writer's next turn, which comes nevertheless.
    #expect(take(&state) == "c2")
    commit(3, &state)
    #expect(!wakes(&state))
    #expect(take(&state) == "c3")
    #expect(take(&state) == "")
    #expect(!goesOn(&state))
    commit(4, &state)
    #expect(wakes(&state))
  }
}
