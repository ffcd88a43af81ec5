import Testing

@testable import Millrace

@Suite("SpanID")
struct SpanIDTests {
  func run(_ number: Int, of store: Int = 1) -> RunID { RunID(store: store, action: .queued(number)) }

  @Test("A span's id is the same for the same run, and another one for another run, store, trace or process")
  func differs() {
    #expect(SpanID.of(run(1), in: 7, seed: 3) == SpanID.of(run(1), in: 7, seed: 3))
    let ids = [
      SpanID.of(run(1), in: 7, seed: 3), SpanID.of(run(2), in: 7, seed: 3), SpanID.of(run(1, of: 2), in: 7, seed: 3),
      SpanID.of(run(1), in: 8, seed: 3), SpanID.of(run(1), in: 7 << 64, seed: 3), SpanID.of(run(1), in: 7, seed: 4),
    ]
    #expect(Set(ids).count == ids.count)
  }

  @Test("100,000 runs of four stores have ids of their own, none of them 0")
  func unique() {
    let ids = (0..<4).flatMap { store in (0..<25_000).map { SpanID.of(run($0, of: store), in: 1, seed: 0) } }
    #expect(Set(ids).count == ids.count)
    #expect(!ids.contains(0))
  }

  @Test("The one number that would be 0 is that of a number which no action has")
  func neverZero() {
    // What the mixing turns into 0, less the salt.
    let number: UInt64 = (0 &- 0x9E37_79B9_7F4A_7C15) ^ 42
    #expect(SpanID.of(number, salt: 42) == SpanID.of(.max, salt: 42))
    #expect(SpanID.of(number, salt: 42) != 0)
    #expect([ActionID.takenAtOnce(1), .queued(1), .refused(1)].allSatisfy { $0.number & 3 != 3 })
  }

  @Test("A trace that begins with a run has an id of both halves, the same for the whole chain")
  func traces() {
    let trace = SpanID.trace(from: run(1), seed: 3)
    #expect(trace == SpanID.trace(from: run(1), seed: 3))
    #expect(trace != SpanID.trace(from: run(2), seed: 3))
    #expect(trace >> 64 != 0)
    #expect(trace >> 64 != trace & UInt128(UInt64.max))
  }
}
