import Millrace

/// Passes calls on, and gives them with their replies to a recorder.
struct RecordingDeck<Keep: EntryKeeping>: TapeDeck {
  let intake: RecordingIntake<Keep>
  let request: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable
  let reply: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable
  let report: @Sendable (RecordingError) -> Void

  /// Whether a value was found that cannot be encoded.
  private let hasReported = Once()

  init(
    intake: RecordingIntake<Keep>,
    request: @escaping @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable,
    reply: @escaping @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable,
    report: @escaping @Sendable (RecordingError) -> Void
  ) {
    self.intake = intake
    self.request = request
    self.reply = reply
    self.report = report
  }

  func call<Reply: Codable & Sendable, Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, _ failure: Failure.Type, _ body: () async throws -> Reply
  ) async throws -> Reply {
    let start = intake.now()
    do {
      let value = try await body()
      record(name, request, since: start) { .reply(try JSON.text(of: reply(name, value))) }
      return value
    } catch let error as Failure {
      record(name, request, since: start) { .failure(try JSON.text(of: reply(name, error))) }
      throw error
    } catch is CancellationError {
      record(name, request, since: start) { .cancelled }
      throw CancellationError()
    } catch {
      record(name, request, since: start) { .error("\(error)") }
      throw error
    }
  }

  private func record(
    _ name: String, _ request: some Encodable & Sendable, since start: Int64, _ reply: () throws -> RecordedReply
  ) {
    let now = intake.now()
    do {
      let text = try JSON.text(of: self.request(name, request))
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
          The request or the reply of the call "\(name)" cannot be encoded: \(error); let it encode every value. The recording \
          has a gap there, and goes on.
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
