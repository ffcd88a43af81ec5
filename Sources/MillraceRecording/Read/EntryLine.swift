import Foundation
import Millrace

/// A line of a file behind the first one.
struct EntryLine<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: Decodable {
  let entry: RecordingEntry<Action, Mutation, State>

  private typealias Container = KeyedDecodingContainer<Key>

  private enum Key: String, CodingKey {
    case kind, at, run, parent, root, traceparent, tracestate, accepted, action
    case took, name, request, reply, failure, error, cancelled
    case revision, mutation, attempt, duration, outcome, hash, state, missed
  }

  private enum Kind: String, Decodable {
    case action, call, commit, rest, end, state, gap
  }

  init(from decoder: any Decoder) throws {
    let line = try decoder.container(keyedBy: Key.self)
    let at = try line.nanoseconds(.at)
    entry =
      switch try line.decode(Kind.self, forKey: .kind) {
      case .action: .action(try EntryLine.action(line, at))
      case .call: .call(try EntryLine.call(line, at))
      case .commit:
        .commit(
          RecordedCommit(
            at: at, revision: try line.count(.revision), run: try line.run(.run),
            mutation: try line.decode(Mutation.self, forKey: .mutation)))
      case .rest:
        .rest(
          RecordedRest(
            at: at, run: try line.run(.run), attempt: try line.count(.attempt), duration: try line.duration(.duration)))
      case .end:
        .end(
          RecordedEnd(
            at: at, run: try line.run(.run), outcome: try line.decode(OutcomeText.self, forKey: .outcome).kind))
      case .state:
        .state(
          RecordedState(
            at: at, revision: try line.count(.revision),
            hash: try line.decodeIfPresent(HashText.self, forKey: .hash)?.hash,
            state: try line.decode(State.self, forKey: .state)))
      case .gap: .gap(RecordedGap(at: at, missed: try line.count(.missed)))
      }
  }

  private static func action(_ line: Container, _ at: Int64) throws -> RecordedAction<Action> {
    let run = try line.run(.run)
    let traceparent = try line.decodeIfPresent(String.self, forKey: .traceparent)
    let tracestate = try line.decodeIfPresent(String.self, forKey: .tracestate)
    return RecordedAction(
      at: at, run: run, parent: try line.runIfPresent(.parent), root: try line.runIfPresent(.root) ?? run,
      trace: traceparent.map { TraceContext(traceparent: $0, tracestate: tracestate) },
      isAccepted: try line.decodeIfPresent(Bool.self, forKey: .accepted) ?? true,
      action: try line.decode(Action.self, forKey: .action))
  }

  private static func call(_ line: Container, _ at: Int64) throws -> RecordedCall {
    let reply: RecordedReply =
      if let json = try line.decodeIfPresent(String.self, forKey: .reply) {
        .reply(json)
      } else if let json = try line.decodeIfPresent(String.self, forKey: .failure) {
        .failure(json)
      } else if let text = try line.decodeIfPresent(String.self, forKey: .error) {
        .error(text)
      } else if try line.decodeIfPresent(Bool.self, forKey: .cancelled) == true {
        .cancelled
      } else {
        throw DecodingError.keyNotFound(
          Key.reply, DecodingError.Context(codingPath: [], debugDescription: "A call has a reply."))
      }
    return RecordedCall(
      at: at, took: try line.nanoseconds(.took), run: try line.runIfPresent(.run),
      name: try line.decode(String.self, forKey: .name), request: try line.decode(String.self, forKey: .request),
      reply: reply)
  }
}

extension KeyedDecodingContainer {
  fileprivate func run(_ key: Key) throws -> RunID {
    guard let run = RunID(text: try decode(String.self, forKey: key)) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "A run is written as #5@1.")
    }
    return run
  }

  fileprivate func runIfPresent(_ key: Key) throws -> RunID? {
    contains(key) ? try run(key) : nil
  }
}

/// A kind of outcome as it stands in a line.
private struct OutcomeText: Decodable {
  let kind: Outcome.Kind

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let kind = Outcome.Kind(rawValue: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "There is no such outcome.")
    }
    self.kind = kind
  }
}
