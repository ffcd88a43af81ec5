import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Answering deck", .timeLimit(.minutes(1)))
struct AnsweringDeckTests {
  typealias Board = ResimulationBoard<Till.Action, Till.Mutation>

  struct Refusal: Error, Codable, Equatable {
    var reason: String
  }

  /// The answer to a call for tea, given this recorded reply.
  private func answer(_ reply: RecordedReply) async throws -> Int {
    let call = RecordedCall(at: 0, took: 0, run: nil, name: "price", request: "\"tea\"", reply: reply)
    let board = Board(
      ResimulatedRuns([] as [Recording<Till>.Entry]), [call], patience: .seconds(1), clock: TestClock())
    let tape = GatewayTape(AnsweringDeck(board: board, redact: { $1 }))
    let asking = Task {
      try await tape.call("price", "tea", failure: Refusal.self) { () async throws -> Int in
        Issue.record("The gateway was called.")
        return 0
      }
    }
    _ = await board.wait { $0.calls.hasArrived(0) }
    board.note { $0.calls.release(0) }?.resume(returning: reply)
    return try await asking.value
  }

  @Test("A call gets what was recorded: the reply, the error of its type, the text of another one, the cancellation")
  func answers() async throws {
    #expect(try await answer(.reply("3")) == 3)
    await #expect(throws: Refusal(reason: "none left")) { try await answer(.failure(#"{"reason":"none left"}"#)) }
    await #expect(throws: RecordedFailure("no way")) { try await answer(.error("no way")) }
    await #expect(throws: CancellationError.self) { try await answer(.cancelled) }
    await #expect(throws: CancellationError.self) { try await answer(.error("Swift.CancellationError")) }
  }

  @Test("A recorded reply or error that cannot be decoded fails the call, with a sentence")
  func unreadable() async {
    await #expect(
      throws: RecordedFailure(
        #"What is not recorded got the recorded reply "x" to "price", which is no Int; the call has failed."#)
    ) { try await answer(.reply(#""x""#)) }
    await #expect(
      throws: RecordedFailure(
        #"What is not recorded got the recorded reply {} to "price", which is no Refusal; the call has failed."#)
    ) { try await answer(.failure("{}")) }
  }

  @Test("A call in a task that was cancelled throws that, before its reply and while it waits")
  func cancellation() async throws {
    let calls = (0..<2).map { _ in
      RecordedCall(at: 0, took: 0, run: nil, name: "price", request: "1", reply: .reply("3"))
    }
    let board = Board(
      ResimulatedRuns([] as [Recording<Till>.Entry]), calls, patience: .seconds(1), clock: TestClock())
    let tape = GatewayTape(AnsweringDeck(board: board, redact: { $1 }))
    let waiting = Task { try await tape.call("price", 1) { 0 } }
    _ = await board.wait { $0.calls.hasArrived(0) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await tape.call("price", 1) { 0 }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(board.read { [$0.calls.isOpen(0), $0.calls.isOpen(1)] } == [false, false])
  }
}
