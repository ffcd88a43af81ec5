import Foundation
import MillraceTesting
import Testing

@testable import Millrace

@Suite("MutationLog", .timeLimit(.minutes(1)))
struct MutationLogTests {
  let log = MutationLog<Ticks>()

  private func cursor(
    _ policy: ObservationPolicy<StoreError> = ObservationPolicy(.every()), at revision: Int = 0
  ) -> LogCursor<Ticks> {
    let cursor = LogCursor<Ticks>(policy.terms, seeksCauses: false)
    log.join(cursor, at: revision)
    cursor.delivered = revision
    return cursor
  }

  /// Keeps these numbers, each as the commit of that revision.
  private func append(_ numbers: ClosedRange<Int>) {
    for number in numbers {
      log.append(.number(number))
      if number >= log.end.nextCheck { log.check(at: number) }
    }
  }

  private func taken(_ cursor: LogCursor<Ticks>) -> [Int] {
    var batch: [LogEntry<Ticks>] = [.number(-1)]
    log.take(for: cursor, into: &batch)
    return batch.map(\.number)
  }

  private func takenByChunks(_ cursor: LogCursor<Ticks>) -> [Int] {
    var all: [Int] = []
    while true {
      let next = taken(cursor)
      if next.isEmpty { return all }
      #expect(next.count <= LogChunk<Ticks>.capacity)
      all += next
    }
  }

  @Test(
    "A cursor takes what came after it joined, in place of what it was given before", arguments: [1, 63, 64, 65, 300])
  func takes(count: Int) {
    append(1...10)
    let only = cursor(ObservationPolicy(.every(buffer: 1_000)), at: 10)
    #expect(taken(only) == [])
    append(11...10 + count)
    #expect(takenByChunks(only) == Array(11...10 + count))
    append(11 + count...20 + count)
    #expect(takenByChunks(only) == Array(11 + count...20 + count))
  }

  @Test("Several cursors that join and leave in between each take all of theirs", arguments: 0..<20)
  func several(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var revision = 0
    var following: [(cursor: LogCursor<Ticks>, next: Int)] = []
    for _ in 0..<300 {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: following.append((cursor(ObservationPolicy(.every(buffer: .max - 1)), at: revision), revision + 1))
      case 1 where following.count > 1:
        log.leave(following.remove(at: Int.random(in: 0..<following.count, using: &generator)).cursor)
      case 2, 3:
        let count = Int.random(in: 1...40, using: &generator)
        if log.cursors.isEmpty { continue }
        append(revision + 1...revision + count)
        revision += count
      default:
        guard let index = following.indices.randomElement(using: &generator) else { continue }
        let taken = taken(following[index].cursor)
        #expect(taken == Array(following[index].next..<following[index].next + taken.count))
        following[index].next += taken.count
      }
    }
    for (cursor, next) in following { #expect(takenByChunks(cursor) == Array(next..<revision + 1)) }
  }

  @Test("A cursor further behind than it may be parts, with nothing kept for it, and may join again")
  func parts() {
    let (gapped, strict) = (cursor(ObservationPolicy(.every(buffer: 2))), cursor(.every(endsAt: 4)))
    append(1...2)
    #expect(gapped.position != nil)
    append(3...3)
    #expect(gapped.position == nil)
    #expect(gapped.error == nil)
    #expect(log.end.nextCheck == 5)
    append(4...5)
    #expect(strict.position == nil)
    #expect(strict.error?.description == StoreError(.overflowed(lag: 5)).description)
    #expect(log.end.nextCheck == .max)
    #expect(log.last?.number == 5)
    log.join(gapped, at: 5)
    gapped.delivered = 5
    append(6...7)
    #expect(taken(gapped) == [6, 7])
    #expect(log.cursors.elements.count == 2)
  }

  @Test("An observer at its bound applies backpressure until it has caught up, has left, or is beyond its limit")
  func holds() {
    let (one, two, three) = (
      cursor(.lossless(pausesAt: 2, endsAt: 4)), cursor(.lossless(pausesAt: 3, endsAt: 9)),
      cursor(.lossless(pausesAt: 2, endsAt: 9))
    )
    append(1...1)
    #expect(log.holding == 0)
    append(2...2)
    #expect(log.holding == 2)
    append(3...3)
    #expect(log.holding == 3)
    two.delivered = 1
    log.releaseIfNear(two, revision: 3)
    #expect(log.holding == 2)
    log.releaseIfNear(two, revision: 3)
    log.leave(three)
    #expect(log.holding == 1)
    append(4...4)
    #expect(log.holding == 2)
    append(5...5)
    #expect(one.error?.description == StoreError(.lagged(lag: 5)).description)
    #expect(log.holding == 1)
    log.leave(one)
    log.leave(two)
    #expect(log.holding == 0)
    #expect(log.cursors.isEmpty)
  }

  @Test("A cursor that has caught up with a check to come is judged anew, by what it was delivered since")
  func judgedAnew() {
    let only = cursor(ObservationPolicy(.every(buffer: 3)))
    for revision in 1...100 {
      append(revision...revision)
      only.delivered = revision - 2
    }
    #expect(only.position != nil)
    #expect(log.end.nextCheck <= 102)
    append(101...102)
    #expect(only.position == nil)
  }

  @Test("A chain of 1,000,000 chunks behind one cursor goes without deep recursion", arguments: [true, false])
  func longChain(isDropped: Bool) async {
    let count = max(scaled(1_000_000), 300_000)  // Enough for any stack to overflow.
    await onSmallStack {
      let log = MutationLog<Ticks>()
      let cursor = LogCursor<Ticks>(ObservationPolicy<Never>.every(buffer: .max - 1).terms, seeksCauses: false)
      log.join(cursor, at: 0)
      for number in 1...count {
        log.append(.number(number))
        let chunk = LogChunk<Ticks>()
        log.end.tail.next = chunk
        log.end.tail = chunk
      }
      if !isDropped { log.leave(cursor) }
    }
  }

  /// Calls `body` on a thread with 64 KiB of stack, far less than a recursion over a chain would need.
  private func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        body()
        continuation.resume()
      }
      thread.stackSize = 65_536
      thread.start()
    }
  }
}
