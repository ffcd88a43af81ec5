import Millrace
import Testing

@testable import MillraceRecording

/// The recorded reply of each call, step by step and without continuations.
@Suite("Call table", .timeLimit(.minutes(1)))
struct CallTableTests {
  typealias Table = CallTable<String>

  private let one = RunID(store: 1, action: ActionID(number: 1))
  private let two = RunID(store: 1, action: ActionID(number: 2))

  private func call(_ run: RunID?, _ request: String, at: Int64 = 0, took: Int64 = 0) -> RecordedCall {
    RecordedCall(at: at, took: took, run: run, name: "price", request: request, reply: .reply("1"))
  }

  private func key(_ run: RunID?, _ request: String) -> Table.Key {
    Table.Key(run: run, name: "price", request: request)
  }

  @Test("A reply goes to the call of its run, name and request, and of equal ones to the first that came")
  func matches() {
    var table = Table([call(one, "tea"), call(two, "tea"), call(one, "tea"), call(nil, "tea")])
    let arrivals: [(String, RunID?, String)] = [
      ("b", two, "tea"), ("a", one, "tea"), ("c", one, "tea"), ("d", nil, "tea"),
    ]
    for (id, arrival) in arrivals.enumerated() {
      #expect(arrive(&table, arrival.0, id, key(arrival.1, arrival.2)))
    }
    #expect((0..<4).map { table.release($0) } == ["a", "b", "c", "d"])
    #expect((0..<4).map { table.isOpen($0) } == [false, false, false, false])
    #expect((0..<4).map { table.release($0) } == [nil, nil, nil, nil])
  }

  private func arrive(_ table: inout Table, _ waiter: String, _ id: Int, _ key: Table.Key) -> Bool {
    table.arrive(waiter, id: id, key, mayHaveNoReply: false)
  }

  @Test("A call of another name, request or run is not expected, nor one more than was recorded")
  func unexpected() {
    var table = Table([call(one, "tea")])
    #expect(!arrive(&table, "x", 1, key(one, "milk")))
    #expect(!arrive(&table, "x", 2, key(two, "tea")))
    #expect(!arrive(&table, "x", 3, key(nil, "tea")))
    #expect(!arrive(&table, "x", 4, Table.Key(run: one, name: "cost", request: "tea")))
    #expect(arrive(&table, "a", 5, key(one, "tea")))
    #expect(!arrive(&table, "x", 6, key(one, "tea")))
    #expect(release(&table, 0) == "a")
    #expect(!arrive(&table, "x", 7, key(one, "tea")))
  }

  private func release(_ table: inout Table, _ index: Int) -> String? { table.release(index) }

  @Test("Of equal calls the first has the reply of the recorded call that began first, though it was answered last")
  func crossed() {
    var table = Table([call(one, "tea", at: 2, took: 1), call(one, "tea", at: 3, took: 3)])
    #expect(arrive(&table, "given up", 1, key(one, "tea")))
    #expect((0..<2).map { table.hasArrived($0) } == [false, true])
    #expect(release(&table, 0) == nil)
    #expect(arrive(&table, "next", 2, key(one, "tea")))
    #expect(release(&table, 0) == "next")
    #expect(table.isOpen(1))
    #expect(cancel(&table, 1) == "given up")
    #expect(!table.isOpen(1))
  }

  @Test("A call that is cancelled takes its recorded reply with it")
  func cancels() {
    var table = Table([call(one, "tea"), call(one, "tea")])
    #expect(release(&table, 0) == nil)
    #expect(arrive(&table, "a", 1, key(one, "tea")))
    #expect(cancel(&table, 2) == nil)
    #expect(cancel(&table, 1) == "a")
    #expect(cancel(&table, 1) == nil)
    #expect(!table.isOpen(0))
    #expect(table.isOpen(1))
    #expect(arrive(&table, "b", 3, key(one, "tea")))
    #expect(release(&table, 1) == "b")
  }

  @Test("Of equal calls it is known how many have come, answered or not")
  func arrivals() {
    var table = Table([call(one, "tea"), call(two, "tea"), call(one, "tea")])
    #expect(!table.isWaiting(one))
    #expect(arrive(&table, "a", 1, key(one, "tea")))
    #expect((0..<3).map { table.hasArrived($0) } == [true, false, false])
    #expect(table.isWaiting(one))
    #expect(!table.isWaiting(two))
    #expect(release(&table, 0) == "a")
    #expect(!table.isWaiting(one))
    #expect(arrive(&table, "b", 2, key(one, "tea")))
    #expect((0..<3).map { table.hasArrived($0) } == [true, false, true])
  }

  @Test("A call of a run that was cut waits without a reply until it is cancelled, or for the end")
  func withoutReply() {
    var table = Table([])
    for (id, waiter) in ["a", "b"].enumerated() {
      let isWaiting = table.arrive(waiter, id: id, key(one, "tea"), mayHaveNoReply: true)
      #expect(isWaiting)
    }
    #expect(cancel(&table, 0) == "a")
    #expect(finish(&table) == ["b"])
  }

  @Test("At the end all that wait are taken out, and nothing is expected any more")
  func finishes() {
    var table = Table([call(one, "tea"), call(one, "tea")])
    #expect(arrive(&table, "a", 1, key(one, "tea")))
    #expect(finish(&table) == ["a"])
    #expect(finish(&table) == [])
    #expect(!arrive(&table, "b", 2, key(one, "tea")))
    let isExpected = table.arrive("c", id: 3, key(one, "tea"), mayHaveNoReply: true)
    #expect(!isExpected)
  }

  private func finish(_ table: inout Table) -> [String] { table.finish() }

  private func cancel(_ table: inout Table, _ id: Int) -> String? { table.cancel(id, key(one, "tea")) }

  @Test("Of 100,000 equal calls each has its reply, without a look at all the others")
  func many() {
    let count = 100_000
    var table = Table(Array(repeating: call(one, "tea"), count: count))
    for id in 0..<count { _ = arrive(&table, "\(id)", id, key(one, "tea")) }
    for id in stride(from: 0, to: count, by: 2) { #expect(cancel(&table, id) == "\(id)") }
    for index in 0..<count {
      let released = release(&table, index)
      if released != (index % 2 == 0 ? nil : "\(index)") { Issue.record("\(index) has got another reply.") }
    }
    #expect(release(&table, count - 1) == nil)
    #expect(!table.isWaiting(one))
  }
}
