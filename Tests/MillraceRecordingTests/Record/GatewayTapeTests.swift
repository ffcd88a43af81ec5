import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Gateway tape", .timeLimit(.minutes(1)))
struct GatewayTapeTests {
  struct Refusal: Error, Codable, Equatable {
    var reason: String
  }

  struct Other: Error {}

  private func calls(_ ring: RingRecorder<Till>) -> [RecordedCall] {
    ring.recording.entries.compactMap { if case .call(let call) = $0 { call } else { nil } }
  }

  @Test("A call gives what the gateway gives: replies and errors as they are")
  func passesOn() async throws {
    for tape in [GatewayTape.off, RingRecorder<Till>(initial: Till.State()).tape] {
      #expect(try await tape.call("price", "tea") { 3 } == 3)
      await #expect(throws: Refusal(reason: "none left")) {
        try await tape.call("price", "tea") { () async throws -> Int in throw Refusal(reason: "none left") }
      }
      await #expect(throws: CancellationError.self) {
        try await tape.call("price", "tea") { () async throws -> Int in throw CancellationError() }
      }
    }
  }

  @Test("Replies, errors of the named type, other errors, and cancellations with and without a canceller are recorded")
  func records() async throws {
    let clock = TestClock()
    let ring = RingRecorder<Till>(initial: Till.State(), clock: clock)
    let tape = ring.tape
    _ = try await tape.call("price", ["tea", "milk"]) {
      clock.advance(by: .nanoseconds(9))
      return 3
    }
    @Sendable func fail(_ error: any Error) async {
      _ = try? await tape.call("price", 1, failure: Refusal.self) { () async throws -> Int in throw error }
    }
    await fail(Refusal(reason: "none left"))
    await fail(Other())
    await fail(CancellationError())
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await fail(CancellationError())
    }.value
    #expect(
      calls(ring) == [
        RecordedCall(at: 9, took: 9, run: nil, name: "price", request: #"["tea","milk"]"#, reply: .reply("3")),
        RecordedCall(
          at: 9, took: 0, run: nil, name: "price", request: "1", reply: .failure(#"{"reason":"none left"}"#)),
        RecordedCall(at: 9, took: 0, run: nil, name: "price", request: "1", reply: .error("Other()")),
        RecordedCall(
          at: 9, took: 0, run: nil, name: "price", request: "1", reply: .error("Swift.CancellationError")),
        RecordedCall(at: 9, took: 0, run: nil, name: "price", request: "1", reply: .cancelled),
      ])
  }

  @Test("A request that cannot be encoded is passed on, reported once, and a gap in the recording")
  func unencodable() async throws {
    struct Stubborn: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { throw RecordedFailure("no") }
    }
    let errors = Recorder<RecordingError>()
    let ring = RingRecorder<Till>(initial: Till.State(), report: { errors.record($0) })
    for _ in 0..<3 { #expect(try await ring.tape.call("price", Stubborn()) { 3 } == 3) }
    _ = try await ring.tape.call("price", "tea") { 3 }
    #expect(FileRecorderTests.kinds(ring.recording) == "gap of 3 call")
    #expect(ring.missed == 3)
    #expect(
      errors.recorded.map(\.description) == [
        """
        The request or the reply of the call "price" cannot be encoded: MillraceRecording.RecordedFailure was thrown; let it \
        encode every value. The recording has a gap there, and continues.
        """
      ])
  }

  @Test("The tape of a recorder that has ended passes calls on, and encodes nothing")
  func ended() async throws {
    struct Stubborn: Encodable, Sendable {
      func encode(to encoder: any Encoder) throws { Issue.record("It was encoded.") }
    }
    let folder = try TemporaryFolder()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file())
    await recorder.finish()
    #expect(try await recorder.tape.call("price", Stubborn()) { 3 } == 3)
    #expect(recorder.missed == 0)
  }
}
