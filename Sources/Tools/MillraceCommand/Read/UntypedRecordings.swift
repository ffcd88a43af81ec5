import Foundation
import Millrace
import MillraceFlags
import MillraceRecording

/// The recordings of any service, read as the JSON that they are.
struct UntypedRecordings: Recordings {
  typealias I = UntypedService

  static let summary =
    "Tells of any service what can be told without its types: of its recordings, its journals and its open runs."
  static let replaySummary = "Says how a service replays its own recordings, for that needs its reducer."

  let command: String

  let note: String? =
    "Without the types of the service only the recorded states are compared; its own command tells what each commit changed."

  func replay(_ file: RecordingFile) -> ReplayAnswer {
    .refused(
      CommandFailure(
        """
        \(command) replay needs the reducer of the service, which no other program has; give the service a command of its own, \
        and run that with replay \(FlagError.quoted(file.path)). These three lines are all of it, with the module and the interactor of the \
        service:

          import MillraceCommand
          import Shop
          MillraceCommand.main(Shop.self)
        """, code: EX_USAGE))
  }

  private static func shortened(_ json: UnreadJSON) -> String {
    RecordingTexts<UntypedService>.shortened(json.value.description)
  }

  var texts: RecordingTexts<UntypedService> {
    RecordingTexts(
      name: { $0.value.caseName ?? "action" },
      action: Self.shortened,
      mutation: Self.shortened,
      reduce: nil,
      redacted: { $0 },
      difference: { ValueDifference(from: $0.value, to: $1.value).lines })
  }
}

/// Any service, whose recordings are read as the JSON that they are; no store has it.
struct UntypedService: Interactor {
  typealias Action = UnreadJSON
  typealias Mutation = UnreadJSON
  typealias State = UnreadJSON

  func handle(_ action: UnreadJSON, state: UnreadJSON) -> Effect<UntypedService> { .none }

  static func reduce(into state: inout UnreadJSON, mutation: UnreadJSON) {}
}
