import Foundation
import Testing

@testable import Millrace
@testable import MillraceRecording

@Suite("Recorded ends", .timeLimit(.minutes(1)))
struct RecordedEndTests {
  struct Denied: Error, CustomStringConvertible {
    let description: String
  }

  /// The ends that a file and a ring have of an action that fails with an error, of one that is rejected with an error and of one
  /// that finishes.
  private func ends(_ description: String, _ redaction: Redaction<Till> = Redaction<Till>()) async throws
    -> [[RecordedEnd]]
  {
    let folder = try TemporaryFolder()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file(), redaction: redaction)
    let ring = RingRecorder<Till>(initial: Till.State(), redaction: redaction)
    let till = Till(price: { _ in throw Denied(description: description) })
    let store = Store(initial: Till.State(), interactor: till, interceptors: [recorder, ring])
    _ = await store.send(.look("tea")).outcome
    _ = await store.send(.refuse).outcome
    store.send(.add("tea", price: 1))
    await recorder.finish()
    return try [Recording<Till>.read(from: folder.file()), Recording<Till>.read(from: ring.recording.jsonLines())].map {
      $0.entries.compactMap { if case .end(let end) = $0 { end } else { nil } }
    }
  }

  @Test("An end has the text of its error, and an end without an error has none")
  func errors() async throws {
    for ends in try await ends("no \"tea\"") {
      #expect(ends.map(\.outcome) == [.failed, .rejected, .finished])
      #expect(ends.map(\.error) == ["no \"tea\"", "Refused()", nil])
    }
  }

  @Test("A redaction leaves out what errors of ends carry, unless it says otherwise")
  func redacted() async throws {
    for ends in try await ends("secret", Redaction<Till>(action: { $0 })) {
      #expect(
        ends.map(\.error) == [
          "MillraceRecordingTests.RecordedEndTests.Denied", "MillraceRecordingTests.Till.Refused", nil,
        ])
    }
    for ends in try await ends("secret", Redaction<Till>(error: { name, error in "\(name): \(type(of: error))" })) {
      #expect(ends.map(\.error) == ["look: Denied", "refuse: Refused", nil])
    }
  }

  @Test("The text of an error is cut behind 4,096 Unicode scalars", arguments: [4_095, 4_096, 4_097, 100_000])
  func long(length: Int) async throws {
    let text = String(repeating: "é", count: length)
    for ends in try await ends(text) {
      #expect(ends.first?.error == text.prefix(4_096) + (length > 4_096 ? "…" : ""))
    }
  }

  @Test("The text is made when the action ends, and the error is released")
  func released() async throws {
    final class Token: Error, CustomStringConvertible, Sendable {
      let description = "gone"
    }
    weak var token: Token?
    let ring = RingRecorder<Till>(initial: Till.State())
    do {
      let error = Token()
      token = error
      let run = RunID(store: 1, action: ActionID(number: 5))
      let context = RunContext(run: run, parent: nil, root: run, trace: nil)
      ring.ended(Cause(action: .refuse, context: context), outcome: .failed(error))
    }
    #expect(token == nil)
    guard case .end(let end) = ring.recording.entries.last else {
      Issue.record("The last entry is no end.")
      return
    }
    #expect(end.error == "gone")
  }
}
