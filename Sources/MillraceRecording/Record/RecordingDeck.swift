import Millrace
import MillraceEntries

/// Passes calls on, and gives them with their replies to a recorder.
struct RecordingDeck<Keep: EntryKeeping>: TapeDeck {
  let intake: RecordingIntake<Keep>
  let redaction: CallRedaction
  let report: @Sendable (RecordingError) -> Void

  /// Whether a value was found that cannot be encoded.
  private let hasReported = Once()

  init(
    intake: RecordingIntake<Keep>, redaction: CallRedaction, report: @escaping @Sendable (RecordingError) -> Void
  ) {
    self.intake = intake
    self.redaction = redaction
    self.report = report
  }

  func call<Reply: Codable & Sendable, Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, _ failure: Failure.Type, _ body: () async throws -> Reply
  ) async throws -> Reply {
    let start = intake.now()
    do {
      let value = try await body()
      record(name, request, since: start) { .reply(try JSON.text(of: redaction.reply(name, value))) }
      return value
    } catch let error as Failure {
      record(name, request, since: start) { .failure(try JSON.text(of: redaction.reply(name, error))) }
      throw error
    } catch is CancellationError {
      // A reply without a cancellation comes at once in a resimulation as well, which causes no cancellation.
      let isCancelled = Task.isCancelled
      record(name, request, since: start) { isCancelled ? .cancelled : .ownCancellation }
      throw CancellationError()
    } catch {
      record(name, request, since: start) { .error(redaction.error(name, error)) }
      throw error
    }
  }

  private func record(
    _ name: String, _ request: some Encodable & Sendable, since start: Int64, _ reply: () throws -> RecordedReply
  ) {
    if intake.isOver { return }
    let now = intake.now()
    do {
      let text = try JSON.text(of: redaction.request(name, request))
      intake.called(
        RecordedCall(
          at: now, took: now - start, run: RunContext.current?.run, name: name, request: text, reply: try reply()))
    } catch {
      intake.missedOne()
      guard hasReported.isFirst() else { return }
      report(
        RecordingError(
          .unencodable,
          """
          The request or the reply of the call "\(name)" cannot be encoded: \(RecordingError.reason(ofEncoding: error)); let it \
          encode every value. The recording has a gap there, and goes on.
          """))
    }
  }
}

/// Lets the first one through.
private final class Once: Sendable {
  private let isDone = Lock(false)

  func isFirst() -> Bool {
    isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
  }
}
