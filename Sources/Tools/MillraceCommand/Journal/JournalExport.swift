import Foundation
import Millrace
import MillraceEntries
import MillraceJournal
import MillraceRecording

extension Recording {
  /// Creates a recording of the events of a log.
  ///
  /// A run has the number of the record of its take-up. The log does not have actions that were decided without a run, rejected actions,
  /// calls of gateways and rests between attempts; a commit of an action without a run has the number of its own record. Records of
  /// version 1 of the journal's format have no time, and get the one before.
  ///
  /// - Parameters:
  ///   - log: the events, which begin with the start.
  ///   - end: the state at their end.
  ///   - redaction: changes the values; nil for none. With one, results of steps are left out.
  init(
    of log: LoggedHistory<I.Action, I.Mutation, I.State>, end: LoggedState<I.State>, redaction: Redaction<I>?
  ) {
    let began = log.entries.lazy.compactMap(\.time).first ?? 0
    let values = redaction ?? Redaction()
    var (at, revision): (Int64, Int) = (0, log.revision)
    var entries: [Entry] = []
    for entry in log.entries {
      // A wall time may be set back, and the times of a recording ascend.
      let milliseconds = min(max((entry.time ?? began).subtractingReportingOverflow(began).partialValue, 0), 1 << 40)
      at = max(at, milliseconds * 1_000_000)
      let run = RunID(store: 1, action: ActionID(number: entry.run.number))
      switch entry.event {
      case .action(let action):
        entries.append(
          .action(
            RecordedAction(
              at: at, run: run, parent: nil, root: run, trace: nil, isAccepted: true, action: values.action(action))))
      case .mutation(let mutation):
        revision += 1
        entries.append(
          .commit(RecordedCommit(at: at, revision: revision, run: run, mutation: values.mutation(mutation))))
      case .value(let step, let bytes):
        let result = redaction == nil ? Self.element(bytes).map(RecordedStep.Result.value) : nil
        entries.append(.step(RecordedStep(at: at, run: run, name: step, result: result ?? .leftOut)))
      case .failure(let step, let text):
        let result = redaction == nil ? (try? JSON.text(of: text)).map(RecordedStep.Result.failure) : nil
        entries.append(.step(RecordedStep(at: at, run: run, name: step, result: result ?? .leftOut)))
      case .end(let outcome):
        guard let kind = Outcome.Kind.allCases.first(where: { "\($0)" == outcome }) else { continue }
        entries.append(.end(RecordedEnd(at: at, run: run, outcome: kind)))
      }
    }
    entries.append(.state(RecordedState(at: at, revision: revision, state: values.state(end.state))))
    self.init(
      header: RecordingHeader(of: I.self, isRedacted: redaction != nil, began: began),
      start: RecordedState(at: 0, revision: log.revision, state: values.state(log.start)), entries: entries)
  }

  /// The JSON of the one element of an array; nil for bytes of another coder.
  private static func element(_ bytes: [UInt8]) -> String? {
    guard JournalJSON(bytes) != nil, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else {
      return nil
    }
    return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
  }
}
