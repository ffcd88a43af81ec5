import Millrace
import MillraceTerminal
import MillraceTesting

@testable import PulseService

/// An output that a test reads from.
struct FakeOutput: TextOutput {
  let texts = Recorder<String>()
  /// Called for each text before it is recorded.
  var admit: @Sendable () async throws -> Void = {}

  func write(_ text: String) async throws {
    try await admit()
    texts.record(text)
  }
}

/// A form that writes revisions alone.
struct RevisionPresentation: Presentation {
  func text(_ snapshot: Snapshot<PulseState>) -> String { "\(snapshot.revision)" }
}
