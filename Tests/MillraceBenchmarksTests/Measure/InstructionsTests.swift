import MillraceBenchmarksSystem
import Testing

@Suite("Counter of instructions")
struct InstructionsTests {
  /// Returns the number of instructions that are counted during a loop of this many turns.
  private func counted(turns: Int) -> Int64 {
    let before = millrace_instructions()
    for turn in 0..<turns { keep(turn) }
    return millrace_instructions() - before
  }

  @Test("Instructions are counted while the counter is on; a counter that the system refuses counts none")
  func counter() {
    let isOpen = millrace_open_instructions() == 0
    #expect(counted(turns: 100_000) == 0)
    millrace_count_instructions(true)
    let instructions = counted(turns: 100_000)
    millrace_count_instructions(false)
    #expect(isOpen ? instructions > 100_000 : instructions == 0)
    #expect(counted(turns: 100_000) == 0)
  }
}

/// Keeps the compiler from leaving a loop out.
@inline(never)
private func keep(_ number: Int) {
  withExtendedLifetime(number) {}
}
