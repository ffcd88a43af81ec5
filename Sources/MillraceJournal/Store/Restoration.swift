import Foundation
import Millrace
import MillraceEntries

/// The state of a store that is being restored, and the runs that were open.
struct Restoration<I: Interactor> where I.Action: Codable, I.Mutation: Codable {
  /// A run that has not ended.
  struct OpenRun {
    let sequence: JournalSequence
    let action: I.Action
    let idempotencyKey: String
    let handlesAgain: Bool
  }

  let key: JournalKey
  let coder: any JournalCoder
  private(set) var state: I.State
  private(set) var revision = 0
  private(set) var last = JournalSequence.start
  private var open: [UInt64: OpenRun] = [:]

  init(_ initial: I.State, key: JournalKey, coder: any JournalCoder) {
    state = initial
    self.key = key
    self.coder = coder
  }

  /// The open runs in the order in which their actions were taken up.
  var openRuns: [OpenRun] { open.values.sorted { $0.sequence < $1.sequence } }

  /// Applies a record.
  ///
  /// - Throws: ``JournalError`` with the code ``JournalError/Code/corrupt`` and the sequence if it cannot be read.
  mutating func apply(_ record: JournalRecord) throws(JournalError) {
    switch record.entry.kind {
    case .epoch, .mark: break
    case .decided: reduce(try decode(DecidedPayload<I.Mutation>.self, record).mutations)
    case .takeUp:
      let payload = try decode(TakeUpPayload<I.Action, I.Mutation>.self, record)
      open[record.sequence.number] = OpenRun(
        sequence: record.sequence, action: payload.action, idempotencyKey: payload.key,
        handlesAgain: payload.handlesAgain)
      reduce(payload.mutations)
    case .emit: reduce(try decode(EmitPayload<I.Mutation>.self, record).mutations)
    case .end:
      let payload = try decode(EndPayload<I.Mutation>.self, record)
      open[payload.run] = nil
      reduce(payload.closing.map { [$0] } ?? [])
    default:
      throw .unreadable(key, at: record.sequence, "this version knows no entry of the \(record.entry.kind)")
    }
    if let expected = record.entry.revision, expected != revision {
      throw .unreadable(key, at: record.sequence, "it leads to the revision \(revision) and not to \(expected)")
    }
    last = record.sequence
  }

  /// Ends a run as abandoned, and returns the entry.
  mutating func abandon(_ run: OpenRun, closing: I.Mutation?) -> JournalEntry {
    let (entry, kept) = end(of: run, closing)
    reduce(kept.map { [$0] } ?? [])
    open[run.sequence.number] = nil
    return kept == nil ? entry : JournalEntry(kind: .end, payload: entry.payload, revision: revision)
  }

  /// The entry of an end, without the closing mutation if that cannot be encoded.
  private func end(of run: OpenRun, _ closing: I.Mutation?) -> (JournalEntry, I.Mutation?) {
    let outcome = "\(Outcome.Kind.abandoned)"
    let bytes = try? coder.encode(EndPayload(run: run.sequence.number, outcome: outcome, closing: closing))
    if let bytes { return (JournalEntry(kind: .end, payload: Array(bytes)), closing) }
    let rest = EndPayload<I.Mutation>(run: run.sequence.number, outcome: outcome, closing: nil)
    return (JournalEntry(kind: .end, payload: (try? coder.encode(rest)).map(Array.init) ?? []), nil)
  }

  /// Continues behind an entry that was stored.
  mutating func didStore(through sequence: JournalSequence) { last = sequence }

  private mutating func reduce(_ mutations: [I.Mutation]) {
    for mutation in mutations { I.reduce(into: &state, mutation: mutation) }
    revision += mutations.count
  }

  private func decode<Payload: Decodable>(
    _ type: Payload.Type, _ record: JournalRecord
  ) throws(JournalError) -> Payload {
    do {
      return try coder.decode(type, from: Data(record.entry.payload))
    } catch {
      throw .unreadable(key, at: record.sequence, DecodingReason.text(of: error))
    }
  }
}
