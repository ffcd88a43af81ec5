import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@Suite("Runs with many steps", .timeLimit(.minutes(3)))
struct ManyStepsTests {
  @Test("T10: 10,000 steps of 1 KiB survive snapshots that remove their records, and a crash; no step more is begun")
  func tenThousand() async throws {
    let journal = UnsteadyJournal(MemoryJournal())
    let (lives, calls, gates) = (Lives(journal), Recorder<Int>(), [Gate(), Gate()])
    let text = String(repeating: "x", count: 1_000)
    func handling(_ gate: Gate) -> Stepped.Handling {
      { run, _ in
        for number in 0..<10_000 {
          let value = try await run.step("\(number)") { _ in
            calls.record(number)
            return text
          }
          #expect(value == text)
          if number == 4_999 { try await gate.enter() }
        }
        let error = await #expect(throws: StepError.self) { try await run.step("one more") { _ in calls.record(-1) } }
        #expect(error?.code == .tooMany)
        run.emit("done")
      }
    }
    var options = JournalOptions()
    options.snapshotRecords = 2_000
    let first = try await lives.open(options: options, handling(gates[0]))
    first.send(.handle(1), key: "many")
    try await gates[0].waitForArrivals(1)
    #expect(await first.send(.note("between")).outcome.kind == .finished)
    let second = try await lives.open(options: options, handling(gates[1]))
    gates[1].open()
    #expect(await second.send(.handle(1), key: "many").outcome.kind == .finished)
    #expect(await second.state == ["between", "done"])
    #expect(calls.recorded == Array(0..<10_000), "each body is called once")
    #expect(try await journal.truncations.next() > 1, "records were removed between two steps")
  }
}
