import Testing

@testable import Millrace

@Suite("Waiter", .timeLimit(.minutes(1)))
struct WaiterTests {
  let waiter = Waiter()
  let notes = Notes<String>()

  /// A task that waits once, on this thread up to its suspension.
  private func wait(_ name: String) -> Task<Void, Never> {
    Task.immediate { [waiter, notes] in
      await waiter.wait { notes.note("\(name) arranged") }
      notes.note("\(name) went on")
    }
  }

  @Test("A signal resumes the waiting task, and no other")
  func aSignalWakes() async {
    let first = wait("first")
    #expect(notes.all == ["first arranged"])
    waiter.signal()
    await first.value
    let second = wait("second")
    #expect(notes.all == ["first arranged", "first went on", "second arranged"])
    waiter.signal()
    await second.value
  }

  @Test("A signal without a waiting task is kept for the next wait, once, and nothing is arranged for that")
  func aSignalIsKept() async {
    waiter.signal()
    waiter.signal()
    await wait("first").value
    #expect(notes.all == ["first went on"])
    let second = wait("second")
    #expect(notes.all == ["first went on", "second arranged"])
    waiter.signal()
    await second.value
  }

  @Test("A signal from inside the arrangement resumes the task")
  func aSignalFromTheArrangement() async {
    await waiter.wait { waiter.signal() }
    let next = wait("next")
    #expect(notes.all == ["next arranged"])
    waiter.signal()
    await next.value
  }

  @Test("Cancellation alone wakes no task: the canceller signals")
  func cancellationIsTheCallersMatter() async {
    let task = wait("it")
    task.cancel()
    #expect(notes.all == ["it arranged"])
    waiter.signal()
    await task.value
    #expect(notes.all == ["it arranged", "it went on"])
  }

  @Test("Signals and waits of two threads meet, each time")
  func signalsAndWaitsMeet() async {
    let (there, back) = (Waiter(), Waiter())
    await withTaskGroup { group in
      group.addTask {
        for _ in 0..<5_000 {
          there.signal()
          await back.wait {}
        }
      }
      group.addTask {
        for _ in 0..<5_000 {
          await there.wait {}
          back.signal()
        }
      }
    }
    notes.note("met")
    #expect(notes.all == ["met"])
  }
}
