import Millrace
import MillraceEntries

/// A tape through which a handler calls a gateway: the reply is recorded, or comes from a recording.
///
/// ```swift
/// struct Records: Interactor {
///   let gateway: any RecordsGateway
///   let tape: GatewayTape
///
///   func handle(_ action: Action, state: State) -> Effect<Self> {
///     Effect { run in
///       let page = try await tape.call("fetch", action.query) { try await gateway.fetch(action.query) }
///       run.emit(.loaded(page))
///     }
///   }
/// }
/// ```
///
/// Where nothing is recorded, give the interactor ``off``, which passes calls on at no cost. The tape of a recorder that has ended
/// passes them on too. That of a resimulation that has ended refuses them, for nothing is left to answer them.
public struct GatewayTape: Sendable {
  private let deck: (any TapeDeck)?

  /// Passes calls on, and records nothing.
  public static let off = GatewayTape(nil)

  init(_ deck: (any TapeDeck)?) {
    self.deck = deck
  }

  /// Calls a gateway.
  ///
  /// In a resimulation `body` is not called: the reply is the one of the recorded call of this run with this name and request, in
  /// recorded order.
  ///
  /// **Isolation.** `body` runs where the caller does. Request and reply are encoded there too, once the reply is there.
  ///
  /// **Cancellation.** `body` runs in the task of the caller and sees it cancelled. A resimulated call that waits for its reply
  /// throws `CancellationError` at once.
  ///
  /// **Throws:** The error of `body`, as it is. In a resimulation, the recorded error: an error of the type `failure` as it was,
  /// `CancellationError`, and any other error as a ``RecordedFailure``.
  ///
  /// - Parameters:
  ///   - name: which call it is; the same each time, and another one for each method of the gateway.
  ///   - request: the request, which is all that the reply depends on; an empty text where it depends on nothing. A resimulated
  ///     call has to be encoded as it was recorded: give the elements of a set as a sorted array, for the order in which a set is
  ///     encoded is another one each time; so is the encoding of a dictionary whose keys are neither strings nor integers.
  ///   - failure: the type of errors that are recorded as values.
  ///   - body: calls the gateway.
  /// - Returns: the result of `body`.
  public func call<Reply: Codable & Sendable, Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, failure: Failure.Type = RecordedFailure.self,
    _ body: () async throws -> Reply
  ) async throws -> Reply {
    guard let deck else { return try await body() }
    return try await deck.call(name, request, failure, body)
  }

  /// Calls a gateway that returns nothing; it throws and is cancelled as the call that returns a reply.
  ///
  /// - Parameters:
  ///   - name: which call it is.
  ///   - request: the request.
  ///   - failure: the type of errors that are recorded as values.
  ///   - body: calls the gateway.
  public func call<Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, failure: Failure.Type = RecordedFailure.self,
    _ body: () async throws -> Void
  ) async throws {
    _ = try await call(name, request, failure: failure) {
      try await body()
      return NoReply()
    }
  }
}

/// The recorded value where a gateway returns nothing.
private struct NoReply: Codable, Sendable {}

/// Answers the calls through a tape.
protocol TapeDeck: Sendable {
  func call<Reply: Codable & Sendable, Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, _ failure: Failure.Type, _ body: () async throws -> Reply
  ) async throws -> Reply
}

/// Passes calls on, and gives them with their replies to a recorder.
struct RecordingDeck<Keep: EntryKeeping>: TapeDeck {
  let intake: RecordingIntake<Keep>
  let redaction: CallRedaction
  let reports: UnencodableReports

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
          at: now, took: now - start, run: RunContext.current?.run, name: name, request: text, reply: try reply(),
          step: StepScope.current.get()?.name, attempt: StepScope.current.get()?.attempt ?? 1))
    } catch {
      intake.missedOne()
      reports.report("The request or the reply of the call \"\(name)\"", error)
    }
  }
}

/// Reports the first value that cannot be encoded.
final class UnencodableReports: Sendable {
  private let report: @Sendable (RecordingError) -> Void
  private let isDone = Lock(false)

  init(_ report: @escaping @Sendable (RecordingError) -> Void) {
    self.report = report
  }

  func report(_ subject: String, _ error: any Error) {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    guard isFirst else { return }
    report(
      RecordingError(
        .unencodable,
        """
        \(subject) cannot be encoded: \(RecordingError.reason(ofEncoding: error)); let it encode every value. The recording has a gap \
        there, and continues.
        """))
  }
}

/// An error that a gateway has thrown, as a text, which a resimulated call throws when it does not name the error's type.
///
/// The text is the description of the error, or the text that the ``Redaction`` has made of it.
public struct RecordedFailure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The description of the error.
  public let description: String

  /// The error with this description.
  public init(_ description: String) {
    self.description = description
  }
}
