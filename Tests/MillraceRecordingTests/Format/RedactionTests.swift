import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

@Suite("Redaction", .timeLimit(.minutes(1)))
struct RedactionTests {
  /// Removes the customer's name and the article "ring".
  static let redaction = Redaction<Till>(
    action: { if case .welcome = $0 { .welcome("x") } else { $0 } },
    mutation: { if case .welcomed = $0 { .welcomed("x") } else { $0 } },
    state: { state in
      var state = state
      state.customer = state.customer.isEmpty ? "" : "x"
      return state
    },
    request: { name, request in request as? String == "ring" ? "\(name) of something" : request },
    reply: { _, reply in (reply as? Int ?? 0) > 1_000 ? 1_000 : reply })

  private func record(_ recorder: FileRecorder<Till>) async {
    let store = Store(
      initial: Till.State(), interactor: Till(price: { $0 == "ring" ? 5_000 : 1 }, tape: recorder.tape),
      interceptors: [recorder])
    store.send(.welcome("Ada Lovelace"))
    _ = await store.send(.look("ring")).outcome
    store.send(.add("tea", price: 2))
    await recorder.finish()
  }

  @Test("Nothing of what is redacted stands in the file, which replays to the redacted state")
  func file() async throws {
    let folder = try TemporaryFolder()
    await record(FileRecorder<Till>(initial: Till.State(), to: folder.file(), checkpoint: 1, redaction: Self.redaction))
    let text = try folder.lines().joined()
    #expect(!text.contains("Lovelace"))
    let recording = try Recording<Till>.read(from: folder.file())
    #expect(recording.header.isRedacted)
    let calls = recording.entries.compactMap { if case .call(let call) = $0 { call } else { nil } }
    #expect(calls.map(\.request) == ["\"price of something\""])
    #expect(calls.map(\.reply) == [.reply("1000")])
    let report = try recording.replay()
    #expect(report.isSame)
    #expect(report.comparisons == 4)
    #expect(report.state.customer == "x")
  }

  @Test("A ring redacts what is taken out of it")
  func ring() async throws {
    let ring = RingRecorder<Till>(initial: Till.State(customer: "Grace"), checkpoint: 1, redaction: Self.redaction)
    let store = Store(initial: Till.State(customer: "Grace"), interactor: Till(), interceptors: [ring])
    store.send(.welcome("Ada"))
    let text = String(decoding: try ring.recording.jsonLines(), as: UTF8.self)
    #expect(!text.contains("Ada"))
    #expect(!text.contains("Grace"))
    #expect(ring.recording.header.isRedacted)
    #expect(try ring.recording.replay().isSame)
  }

  @Test("Where the reducer derives something from a secret the replay says what to do, and does it with the redaction")
  func inconsistent() async throws {
    let folder = try TemporaryFolder()
    // The state is redacted and the mutations are not.
    let half = Redaction<Till>(state: { state in
      var state = state
      state.total = 0
      return state
    })
    await record(FileRecorder<Till>(initial: Till.State(), to: folder.file(), checkpoint: 4, redaction: half))
    let recording = try Recording<Till>.read(from: folder.file())
    let report = try recording.replay()
    #expect(
      report.description == """
        At revision 4 the state differs from what was recorded; at revision 0 it was the same. A mutation of 1 to 4 is reduced \
        otherwise than when it was recorded. The recording is redacted: if the reducer derives something from what was \
        redacted, give the replay the same redaction. Recorded → replayed:
          total: 0 → 5002
        """)
    #expect(try recording.replay(redaction: half).isSame)
  }

  struct Refusal: Error, Codable, Equatable {
    var reason: String
  }

  @Test("All that a call gives back is redacted, a typed failure and an error of another type as well as a reply")
  func everyReply() async throws {
    let hidden = Redaction<Till>(
      reply: { name, reply in
        if reply is Refusal { return Refusal(reason: "\(name) hidden") }
        return "hidden"
      },
      error: { name, _ in "\(name) failed" })
    let folder = try TemporaryFolder()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), redaction: hidden)
    let ring = RingRecorder<Till>(initial: Till.State(), redaction: hidden)
    for tape in [recorder.tape, ring.tape] {
      #expect(try await tape.call("reply", 1) { "secret" } == "secret")
      await #expect(throws: Refusal(reason: "secret")) {
        try await tape.call("failure", 1, failure: Refusal.self) { () async throws -> Int in
          throw Refusal(reason: "secret")
        }
      }
      await #expect(throws: Denied.self) {
        try await tape.call("error", 1, failure: Refusal.self) { () async throws -> Int in
          throw Denied.by(server: "secret")
        }
      }
    }
    await recorder.finish()
    for text in [try folder.lines().joined(), String(decoding: try ring.recording.jsonLines(), as: UTF8.self)] {
      #expect(!text.contains("secret"))
    }
    let read = try Recording<Till>.read(from: folder.file())
    for recording in [read, ring.recording] {
      let calls = recording.entries.compactMap { if case .call(let call) = $0 { call } else { nil } }
      let replies: [RecordedReply] = calls.map(\.reply)
      #expect(
        replies == [
          .reply(#""hidden""#), .failure(#"{"reason":"failure hidden"}"#), .error("error failed"),
        ])
    }
  }

  enum Denied: Error {
    case by(server: String)
  }

  /// The texts that a recorder with this redaction writes of an error and a trace with a secret.
  private func texts(_ redaction: Redaction<Till>) async throws -> [String] {
    let folder = try TemporaryFolder()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), redaction: redaction)
    let ring = RingRecorder<Till>(initial: Till.State(), redaction: redaction)
    for tape in [recorder.tape, ring.tape] {
      let till = Till(price: { _ in throw Denied.by(server: "secret") }, tape: tape)
      let store = Store(initial: Till.State(), interactor: till, interceptors: [recorder, ring])
      _ = await store.send(.look("tea"), context: TraceContext(traceparent: "00-1", tracestate: "a=secret")).outcome
      store.setInterceptors([])
    }
    await recorder.finish()
    return [try folder.lines().joined(), String(decoding: try ring.recording.jsonLines(), as: UTF8.self)]
  }

  @Test("Of errors and traces, which others have written, a redaction leaves out what it does not let through")
  func others() async throws {
    for text in try await texts(Redaction<Till>(action: { $0 })) {
      #expect(!text.contains("secret"))
      #expect(text.contains(#""error":"MillraceRecordingTests.RedactionTests.Denied.by""#))
      #expect(text.contains(#""traceparent":"00-1""#))
    }
    for text in try await texts(Redaction<Till>(error: { name, _ in "\(name) failed" }, trace: { _ in nil })) {
      #expect(!text.contains("secret"))
      #expect(text.contains(#""error":"price failed""#))
      #expect(!text.contains("traceparent"))
    }
    for text in try await texts(Redaction<Till>()) {
      #expect(text.contains(#""tracestate":"a=secret""#))
      #expect(text.contains("server: "))
    }
  }
}
