import Foundation
import Millrace
import MillraceRecording
import MillraceReport
import Testing

@testable import MillraceCommand

@Suite("Recordings of a service")
struct ServiceRecordingsTests {
  /// Derives the length of a secret in its reducer.
  struct Vault: Interactor {
    struct State: Codable, Sendable, Equatable {
      var secret = ""
      var length = 0
    }

    func decide(_ action: String, state: State) -> Decision<String> { .mutate(action) }

    func handle(_ action: String, state: State) -> Effect<Vault> { .none }

    static func reduce(into state: inout State, mutation: String) {
      state.secret = mutation
      state.length = mutation.count
    }
  }

  private static let redaction = Redaction<Vault>(
    action: { _ in "x" }, mutation: { _ in "x" },
    state: { $0.secret.isEmpty ? $0 : Vault.State(secret: "x", length: 0) })

  /// The rows about recorded states in the page of a file.
  private func stateRows(
    _ file: RecordingFile, _ redaction: Redaction<Vault>?
  ) throws -> Int {
    var text = ""
    try ServiceRecordings<Vault>(redaction: redaction).page(of: file, rows: 100).write { text += $0 }
    #expect(text.ranges(of: "data-row=\"commit\"").count == 3)
    return text.ranges(of: "data-row=\"state\"").count
  }

  @Test("A page applies the redaction to a reduced state before it is compared with a recorded one, as a replay does")
  func redaction() throws {
    let folder = try Folder()
    let file = RecordingFile(path: folder.file("vault.jsonl").path, acceptsCutEnd: false)
    let ring = RingRecorder<Vault>(
      initial: Vault.State(), checkpoint: 1, redaction: Self.redaction)
    let store = Store(initial: Vault.State(), interactor: Vault(), interceptors: [ring])
    for secret in ["12", "345", "6789"] { store.send(secret) }
    try ring.recording.write(to: file.url)
    guard case .replayed(_, .same) = try ServiceRecordings<Vault>(redaction: Self.redaction).replay(file) else {
      return #expect(Bool(false), "The replay led to other states.")
    }
    #expect(try stateRows(file, Self.redaction) == 0)
    // Without it the length that the reducer derives is told: 1, and 0 as it was recorded.
    #expect(try stateRows(file, nil) == 3)
  }
}
