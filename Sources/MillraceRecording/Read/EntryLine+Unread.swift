import Foundation
import Millrace

extension EntryLine {
  /// Reads a line, whose values are not read if their types read any JSON: that would take ten times as long.
  static func entry(
    ofLine line: Data, _ decoder: JSONDecoder
  ) throws -> RecordingEntry<Action, Mutation, State> {
    if State.self is any ReadsAnyJSON.Type, let entry = unread(line) { return entry }
    return try decoder.decode(EntryLine.self, ofLine: line, for: State.self).entry
  }

  /// The entry of a line as a recorder writes it; nil for one that the decoder has to read or to refuse.
  private static func unread(_ line: Data) -> RecordingEntry<Action, Mutation, State>? {
    line.withUnsafeBytes { bytes in
      guard let fields = LineFields(bytes), let at = fields.nanoseconds("at") else { return nil }
      func value<Value>(_ key: StaticString) -> Value? {
        guard let range = fields[key], let type = Value.self as? any ReadsAnyJSON.Type else { return nil }
        return type.init(json: line[line.startIndex + range.lowerBound..<line.startIndex + range.upperBound]) as? Value
      }
      switch fields.string("kind") {
      case "action":
        guard let value: Action = value("action") else { return nil }
        return action(fields, at, value).map { .action($0) }
      case "call": return call(fields, at).map { .call($0) }
      case "commit":
        guard let revision = fields.count("revision"), let run = fields.run("run"),
          let value: Mutation = value("mutation")
        else { return nil }
        return .commit(RecordedCommit(at: at, revision: revision, run: run, mutation: value))
      case "rest":
        guard let run = fields.run("run"), let attempt = fields.count("attempt"),
          let duration = fields.nanoseconds("duration"), duration >= 0
        else { return nil }
        return .rest(RecordedRest(at: at, run: run, attempt: attempt, duration: duration))
      case "step": return step(fields, at).map { .step($0) }
      case "end":
        let error = fields.string("error")
        guard let run = fields.run("run"), let outcome = fields.string("outcome").flatMap(Outcome.Kind.init(rawValue:)),
          error != nil || !fields.has("error")
        else { return nil }
        return .end(RecordedEnd(at: at, run: run, outcome: outcome, error: error))
      case "state":
        guard let revision = fields.count("revision"), let value: State = value("state") else { return nil }
        let hash = fields.string("hash").flatMap(StateHash.init)
        guard hash != nil || !fields.has("hash") else { return nil }
        return .state(RecordedState(at: at, revision: revision, hash: hash, state: value))
      case "gap": return fields.count("missed").map { .gap(RecordedGap(at: at, missed: $0)) }
      default: return nil
      }
    }
  }

  private static func action(_ fields: LineFields, _ at: Int64, _ value: Action) -> RecordedAction<Action>? {
    guard let run = fields.run("run") else { return nil }
    let parent = fields.run("parent")
    let root = fields.run("root")
    let traceparent = fields.string("traceparent")
    let tracestate = fields.string("tracestate")
    let isAccepted = fields.bool("accepted")
    guard parent != nil || !fields.has("parent"), root != nil || !fields.has("root"),
      traceparent != nil || !fields.has("traceparent"), tracestate != nil || !fields.has("tracestate"),
      isAccepted != nil || !fields.has("accepted")
    else { return nil }
    return RecordedAction(
      at: at, run: run, parent: parent, root: root ?? run,
      trace: traceparent.map { TraceContext(traceparent: $0, tracestate: tracestate) }, isAccepted: isAccepted ?? true,
      action: value)
  }

  private static func call(_ fields: LineFields, _ at: Int64) -> RecordedCall? {
    let run = fields.run("run")
    guard run != nil || !fields.has("run"), let took = fields.nanoseconds("took"), let name = fields.string("name"),
      let request = fields.string("request")
    else { return nil }
    let reply: RecordedReply
    if let json = fields.string("reply") {
      reply = .reply(json)
    } else if let json = fields.string("failure"), !fields.has("reply") {
      reply = .failure(json)
    } else {
      return nil
    }
    let step = fields.string("step")
    let attempt = fields.has("attempt") ? fields.count("attempt") : 1
    guard step != nil || !fields.has("step"), let attempt else { return nil }
    return RecordedCall(
      at: at, took: took, run: run, name: name, request: request, reply: reply, step: step, attempt: attempt)
  }

  private static func step(_ fields: LineFields, _ at: Int64) -> RecordedStep? {
    let enclosing = fields.string("step")
    let attempt = fields.has("attempt") ? fields.count("attempt") : 1
    guard let run = fields.run("run"), let name = fields.string("name"), let attempt,
      enclosing != nil || !fields.has("step")
    else {
      return nil
    }
    let result: RecordedStep.Result
    if let json = fields.string("value") {
      result = .value(json)
    } else if fields.has("value") {
      return nil
    } else if fields.bool("leftOut") == true {
      result = .leftOut
    } else if let json = fields.string("failure"), !fields.has("leftOut") {
      result = .failure(json)
    } else {
      return nil
    }
    return RecordedStep(at: at, run: run, name: name, result: result, attempt: attempt, enclosingStep: enclosing)
  }
}

extension LineFields {
  fileprivate func nanoseconds(_ key: StaticString) -> Int64? {
    integer(key).flatMap { CheckedNumbers.nanoseconds.contains($0) ? $0 : nil }
  }

  fileprivate func count(_ key: StaticString) -> Int? {
    integer(key).flatMap { Int(exactly: $0) }.flatMap { CheckedNumbers.counts.contains($0) ? $0 : nil }
  }

  fileprivate func run(_ key: StaticString) -> RunID? {
    string(key).flatMap(RunID.init(text:))
  }
}
