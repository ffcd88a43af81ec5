import Testing

@testable import MillraceOperators

/// Tables of events and answers.
@Suite("DownstreamBuffer")
struct DownstreamBufferTests {
  enum Event {
    case demand
    case offer(Int)
    case finish(Mishap?)
    case cancel
  }

  private func check(_ steps: [(event: Event, answer: Result<Int?, Mishap>?, hasDue: Bool, hasEnded: Bool)]) {
    var buffer = DownstreamBuffer<Int, Mishap>.quiet([])
    for (index, step) in steps.enumerated() {
      let answer =
        switch step.event {
        case .demand: buffer.demand()
        case .offer(let element): buffer.offer(element)
        case .finish(let failure): buffer.finish(failure)
        case .cancel: buffer.cancel()
        }
      #expect(answer == step.answer, "step \(index): \(step.event)")
      #expect(buffer.hasDue == step.hasDue, "step \(index): \(step.event)")
      #expect(buffer.hasEnded == step.hasEnded, "step \(index): \(step.event)")
    }
  }

  @Test("Elements offered while no consumer waits are due in order, and a waiting consumer gets an element at once")
  func elements() {
    check([
      (.offer(1), nil, true, false),
      (.offer(2), nil, true, false),
      (.demand, .success(1), true, false),
      (.demand, .success(2), false, false),
      (.demand, nil, false, false),
      (.demand, nil, false, false),
      (.offer(3), .success(3), false, false),
      (.offer(4), nil, true, false),
      (.demand, .success(4), false, false),
    ])
  }

  @Test("The end and the failure come behind what is due, once, and then the end for ever")
  func ends() {
    check([
      (.offer(1), nil, true, false),
      (.finish(Mishap()), nil, true, true),
      (.finish(nil), nil, true, true),
      (.offer(2), nil, true, true),
      (.demand, .success(1), false, true),
      (.demand, .failure(Mishap()), false, true),
      (.demand, .success(nil), false, true),
      (.offer(3), nil, false, true),
      (.demand, .success(nil), false, true),
    ])
    check([
      (.demand, nil, false, false), (.finish(nil), .success(nil), false, true), (.demand, .success(nil), false, true),
    ])
    check([(.demand, nil, false, false), (.finish(Mishap()), .failure(Mishap()), false, true)])
    check([(.finish(nil), nil, false, true), (.demand, .success(nil), false, true)])
  }

  @Test("Cancelled, it drops what is due, and who waits gets the end")
  func cancelled() {
    check([
      (.offer(1), nil, true, false), (.cancel, nil, false, true), (.demand, .success(nil), false, true),
      (.finish(Mishap()), nil, false, true), (.demand, .success(nil), false, true), (.cancel, nil, false, true),
    ])
    check([(.demand, nil, false, false), (.cancel, .success(nil), false, true), (.cancel, nil, false, true)])
    check([(.finish(Mishap()), nil, false, true), (.cancel, nil, false, true), (.demand, .success(nil), false, true)])
  }
}
