import Millrace
import MillraceRecording

/// The recordings of a service, read with its own types.
struct ServiceRecordings<I: Interactor>: Recordings where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  static var summary: String { "Replays the recordings of \(CaseName.name(of: I.self)), and reports about them." }
  static var replaySummary: String { "Reduces all mutations of a recording again, and compares the states." }

  let redaction: Redaction<I>?
  let note: String? = nil

  func replay(_ file: RecordingFile) throws -> ReplayAnswer {
    let report = try Recording<I>.replay(
      contentsOf: file.url, redaction: redaction, acceptsCutEnd: file.acceptsCutEnd,
      progress: file.progress)
    return .replayed(report.description, report.verdict)
  }

  var texts: RecordingTexts<I> {
    RecordingTexts(
      name: { CaseName.of($0) },
      action: { ValueText.of($0, limit: RecordingTexts<I>.limit) },
      mutation: { ValueText.of($0, limit: RecordingTexts<I>.limit) },
      reduce: { I.reduce(into: &$0, mutation: $1) },
      redacted: redaction?.state ?? { $0 },
      difference: { ValueDifference(from: $0, to: $1).lines })
  }
}
