import Testing

@testable import MillraceTesting

/// Tables of events and deliveries; a waiter is a word here, and a delivery is told as a sentence.
@Suite("RecorderState")
struct RecorderStateTests {
  enum Event {
    case record(Int)
    case next(String, Int, count: Int)
    case nextCancelled(String, Int)
    case cancel(Int)
    case sourceBegan
    case sourceEnded(String?)
  }

  /// The error that ends a sequence.
  private struct Broken: Error, CustomStringConvertible {
    var description: String
  }

  private func check(_ steps: [(Event, [String])], recorded: [Int]) {
    var state = RecorderState<Int, String>()
    for (index, step) in steps.enumerated() {
      #expect(apply(step.0, to: &state).map(told) == step.1, "step \(index): \(step.0)")
    }
    #expect(state.recorded == recorded)
  }

  private func told(_ delivery: RecorderState<Int, String>.Delivery) -> String {
    switch delivery {
    case .elements(let elements, let waiter): "\(waiter) gets \(elements)"
    case .cancelled(let waiter): "\(waiter) is cancelled"
    case .ended(let error, let waiter):
      "\(waiter) wanted \(error.wanted) of \(error.unread), ended by \(error.underlyingError.map { "\($0)" } ?? "nothing")"
    }
  }

  private func apply(
    _ event: Event, to state: inout RecorderState<Int, String>
  ) -> [RecorderState<Int, String>.Delivery] {
    switch event {
    case .record(let element): return state.record(element)
    case .next(let waiter, let id, let count): return state.next(count, for: waiter, id: id, isCancelled: false)
    case .nextCancelled(let waiter, let id): return state.next(1, for: waiter, id: id, isCancelled: true)
    case .cancel(let id): return state.cancel(id)
    case .sourceBegan:
      state.sourceBegan()
      return []
    case .sourceEnded(let message): return state.sourceEnded(message.map { Broken(description: $0) })
    }
  }

  @Test("Elements are read in the order in which they were recorded, each once")
  func elementsAreReadInOrder() {
    check(
      [
        (.record(1), []),
        (.record(2), []),
        (.record(3), []),
        (.next("a", 1, count: 1), ["a gets [1]"]),
        (.next("b", 2, count: 2), ["b gets [2, 3]"]),
        (.next("c", 3, count: 0), ["c gets []"]),
        (.next("d", 4, count: -1), ["d gets []"]),
      ], recorded: [1, 2, 3])
  }

  @Test("Waiting tasks are served first come first, also when a later one could be served earlier")
  func firstComeFirstServed() {
    check(
      [
        (.next("a", 1, count: 2), []),
        (.next("b", 2, count: 1), []),
        (.record(1), []),
        (.record(2), ["a gets [1, 2]"]),
        (.record(3), ["b gets [3]"]),
      ], recorded: [1, 2, 3])
  }

  @Test("A cancelled task takes nothing and lets those behind it be served")
  func aCancelledOneTakesNothing() {
    check(
      [
        (.next("a", 1, count: 3), []),
        (.next("b", 2, count: 1), []),
        (.record(1), []),
        (.cancel(1), ["a is cancelled", "b gets [1]"]),
        (.cancel(1), []),
        (.record(2), []),
        (.nextCancelled("c", 3), ["c is cancelled"]),
        (.next("d", 4, count: 1), ["d gets [2]"]),
        (.cancel(4), []),
      ], recorded: [1, 2])
  }

  @Test("When all sequences have ended, those who want more than there is are told so, and the rest can be read")
  func theEndIsTold() {
    check(
      [
        (.sourceBegan, []),
        (.sourceBegan, []),
        (.next("a", 1, count: 2), []),
        (.record(1), []),
        (.sourceEnded("lost"), []),
        (.next("b", 2, count: 1), []),
        (.sourceEnded(nil), ["a wanted 2 of 1, ended by nothing", "b gets [1]"]),
        (.next("c", 3, count: 1), ["c wanted 1 of 0, ended by nothing"]),
        (.next("d", 4, count: 0), ["d gets []"]),
      ], recorded: [1])
  }

  @Test("The error of the last sequence is told, and another sequence makes waiting possible again")
  func theErrorIsToldAndAnotherSequenceMayCome() {
    check(
      [
        (.sourceBegan, []),
        (.sourceEnded("lost"), []),
        (.next("a", 1, count: 1), ["a wanted 1 of 0, ended by lost"]),
        (.sourceBegan, []),
        (.next("b", 2, count: 1), []),
        (.record(1), ["b gets [1]"]),
      ], recorded: [1])
  }
}
