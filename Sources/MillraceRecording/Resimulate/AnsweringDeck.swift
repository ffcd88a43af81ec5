import Millrace
import MillraceEntries

/// Answers calls with what was recorded.
struct AnsweringDeck<Action: Codable & Sendable, Mutation: Codable & Sendable>: TapeDeck {
  let board: ResimulationBoard<Action, Mutation>
  let redact: @Sendable (String, any Encodable & Sendable) -> any Encodable & Sendable

  func call<Reply: Codable & Sendable, Failure: Error & Codable & Sendable>(
    _ name: String, _ request: some Encodable & Sendable, _ failure: Failure.Type, _ body: () async throws -> Reply
  ) async throws -> Reply {
    let text = try JSON.text(of: redact(name, request))
    let live = RunContext.current?.run
    guard let reply = try await board.reply(to: name, text, of: live) else {
      if board.read({ $0.isOver }) { throw AnsweringDeck.tooLate(name) }
      throw fail(.unexpectedCall, live, "called \"\(name)\" with \(text), which it did not when it was recorded")
    }
    func unreadable(_ json: String, as type: String) -> RecordedFailure {
      fail(.unreadableReply, live, "got the recorded reply \(json) to \"\(name)\", which is no \(type)")
    }
    switch reply {
    case .reply(let json):
      guard let value = try? JSON.value(Reply.self, from: json) else { throw unreadable(json, as: "\(Reply.self)") }
      return value
    case .failure(let json):
      guard let error = try? JSON.value(Failure.self, from: json) else { throw unreadable(json, as: "\(Failure.self)") }
      throw error
    case .cancelled, .ownCancellation: throw CancellationError()
    case .error(let text): throw RecordedFailure(text)
    }
  }

  private static func tooLate(_ name: String) -> RecordedFailure {
    RecordedFailure(
      "The call \"\(name)\" came when the resimulation had ended, and nothing is left to answer it; use its tape no longer than that."
    )
  }

  /// Notes a difference, and makes the error that the call throws.
  private func fail(_ kind: ResimulationDifference.Kind, _ live: RunID?, _ what: String) -> RecordedFailure {
    let sentence = board.note { content in
      let run = live.flatMap { content.runs.twin(of: $0) }
      let name = run.flatMap { content.runs.pasts[$0]?.name } ?? "What is not recorded"
      let sentence = "\(name) \(what); the call has failed."
      content.differences.append(ResimulationDifference(kind, run, sentence))
      return sentence
    }
    return RecordedFailure(sentence)
  }
}
