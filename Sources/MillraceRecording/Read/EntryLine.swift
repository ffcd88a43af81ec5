package import Foundation
import Millrace

/// A line of a file behind the first one.
struct EntryLine<Action: Codable & Sendable, Mutation: Codable & Sendable, State: Codable & Sendable>: Decodable {
  let entry: RecordingEntry<Action, Mutation, State>

  private typealias Container = KeyedDecodingContainer<Key>

  private enum Key: String, CodingKey {
    case kind, at, run, parent, root, traceparent, tracestate, accepted, action
    case took, name, request, reply, failure, error, cancelled, step, leftOut
    case revision, mutation, attempt, duration, value, outcome, hash, state, missed
  }

  private enum Kind: String, Decodable {
    case action, call, commit, rest, step, end, state, gap
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
      case .step: .step(try EntryLine.step(line, at))
      case .end:
        .end(
          RecordedEnd(
            at: at, run: try line.run(.run), outcome: try line.decode(OutcomeText.self, forKey: .outcome).kind,
            error: try line.decodeIfPresent(String.self, forKey: .error)))
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
      reply: reply, step: try line.decodeIfPresent(String.self, forKey: .step),
      attempt: line.contains(.attempt) ? try line.count(.attempt) : 1)
  }

  private static func step(_ line: Container, _ at: Int64) throws -> RecordedStep {
    let result: RecordedStep.Result =
      if let json = try line.decodeIfPresent(String.self, forKey: .value) {
        .value(json)
      } else if try line.decodeIfPresent(Bool.self, forKey: .leftOut) == true {
        .leftOut
      } else {
        .failure(try line.decode(String.self, forKey: .failure))
      }
    return RecordedStep(
      at: at, run: try line.run(.run), name: try line.decode(String.self, forKey: .name), result: result,
      attempt: line.contains(.attempt) ? try line.count(.attempt) : 1,
      enclosingStep: try line.decodeIfPresent(String.self, forKey: .step))
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

/// The first line of a file.
struct HeaderLine<State: Codable & Sendable>: Decodable {
  let header: RecordingHeader
  let start: RecordedState<State>

  private enum Key: String, CodingKey {
    case millraceRecording, redacted, began, at, revision, hash, state
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    header = RecordingHeader(
      version: try container.decode(Int.self, forKey: .millraceRecording), types: try TypeNames(from: decoder),
      isRedacted: try container.decode(Bool.self, forKey: .redacted),
      began: try container.decodeIfPresent(BeganText.self, forKey: .began)?.time.milliseconds)
    start = RecordedState(
      at: try container.nanoseconds(.at), revision: try container.count(.revision),
      hash: try container.decodeIfPresent(HashText.self, forKey: .hash)?.hash,
      state: try container.decode(State.self, forKey: .state))
  }
}

/// The mark of a first line, and its version.
struct VersionLine: Decodable {
  let millraceRecording: Int
}

/// A wall time as it stands in a line.
private struct BeganText: Decodable {
  let time: WallTimeText

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let time = WallTimeText(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "A time is written as 2026-11-25T16:44:38.120Z.")
    }
    self.time = time
  }
}

/// A hash as it stands in a line.
struct HashText: Decodable {
  let hash: StateHash

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let hash = StateHash(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "A hash is 16 hexadecimal digits.")
    }
    self.hash = hash
  }
}

/// The numbers of a recording's own fields.
enum CheckedNumbers {
  /// Revisions and counts, so that sums do not overflow.
  static let counts = 0...Int.max / 4

  /// Nanoseconds: up to 73 years.
  static let nanoseconds = -(Int64.max / 4)...Int64.max / 4
}

extension KeyedDecodingContainer {
  /// A revision or a count of commits; impossible numbers are refused, so that sums do not overflow.
  func count(_ key: Key) throws -> Int {
    let count = try decode(Int.self, forKey: key)
    guard CheckedNumbers.counts.contains(count) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "It is a number from 0 to \(CheckedNumbers.counts.upperBound).")
    }
    return count
  }

  /// Nanoseconds; more than 73 years are refused.
  func nanoseconds(_ key: Key) throws -> Int64 {
    let limits = CheckedNumbers.nanoseconds
    let nanoseconds = try decode(Int64.self, forKey: key)
    guard limits.contains(nanoseconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "It is a number of nanoseconds from \(limits.lowerBound) to \(limits.upperBound).")
    }
    return nanoseconds
  }

  /// The nanoseconds of a duration; a negative number and more than 73 years are refused.
  func duration(_ key: Key) throws -> Int64 {
    let duration = try nanoseconds(key)
    guard duration >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "It is a number of nanoseconds that is not negative.")
    }
    return duration
  }
}

/// A type that reads any JSON: a value that it does not read is read by no other type.
///
/// A line as a recorder writes it is taken apart without it. Otherwise its `init(from:)` takes the value from ``values(ofLine:)``, which a reader of recordings puts into the decoder's `userInfo`. To
/// try one type after the other takes a time that grows with the square of the depth of a value, because each error has a path.
package protocol ReadsAnyJSON: Sendable {
  /// Creates the value of a text that is JSON, and has no number that is too large.
  init(json: Data)

  /// Creates the value of an object that `JSONSerialization` has parsed.
  init(parsed: Any)
}

extension ReadsAnyJSON {
  /// The values of a line by their keys; nil if the line is no JSON object.
  static func values(ofLine bytes: Data) -> [String: Self]? {
    ((try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any])?.mapValues(Self.init(parsed:))
  }

  /// The value that a reader of recordings has parsed at the place of a decoder; nil if there is none.
  package static func value(at decoder: any Decoder) -> Self? {
    guard let key = decoder.codingPath.first?.stringValue else { return nil }
    return (decoder.userInfo[.parsedLine] as? [String: Self])?[key]
  }
}

extension CodingUserInfoKey {
  fileprivate static let parsedLine = CodingUserInfoKey(rawValue: "millrace.parsedLine")!
}

extension JSONDecoder {
  /// Decodes a line of a recording whose states are of a type.
  func decode<Line: Decodable, State>(_ type: Line.Type, ofLine bytes: Data, for state: State.Type) throws -> Line {
    if let any = state as? any ReadsAnyJSON.Type { userInfo[.parsedLine] = any.values(ofLine: bytes) }
    return try decode(type, from: bytes)
  }
}
