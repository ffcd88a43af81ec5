import Foundation
import Millrace
import MillraceEntries

/// Writes entries as lines of JSON.
struct EntryWriter<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Entry = RecordingEntry<I.Action, I.Mutation, I.State>

  private let encoder = JSON.encoder()
  private let redaction: Redaction<I>
  private let began: Int64?

  /// - Parameter began: the wall time at which the recording began, in milliseconds since 1970.
  init(redaction: Redaction<I>, began: Int64?) {
    self.redaction = redaction
    self.began = began
  }

  /// The first line of a file.
  func header(_ start: RecordedState<I.State>) throws(RecordingError) -> Data {
    try header(RecordingHeader(of: I.self, isRedacted: redaction.isRedacting, began: began), start)
  }

  /// The first line of a file that has this header.
  func header(_ header: RecordingHeader, _ start: RecordedState<I.State>) throws(RecordingError) -> Data {
    var line = Line("\(RecordingHeader.beginning)\(header.version)")
    for (key, name) in [("action", header.action), ("mutation", header.mutation), ("state", header.state)] {
      line.add("\(key)Type", try encoded(name))
    }
    line.add("redacted", header.isRedacted)
    if let began = header.began { line.add("began", "\"\(WallTimeText(began))\"") }
    try addState(start, to: &line)
    return line.end()
  }

  /// The line of an entry.
  func line(_ entry: Entry) throws(RecordingError) -> Data {
    var line: Line
    switch entry {
    case .action(let action):
      line = Line("{\"kind\":\"action\",\"at\":\(action.at),\"run\":\"\(action.run)\"")
      if let parent = action.parent { line.add("parent", "\"\(parent)\"") }
      if action.root != action.run { line.add("root", "\"\(action.root)\"") }
      if let trace = action.trace.flatMap(redaction.trace) {
        line.add("traceparent", try encoded(trace.traceparent))
        if let tracestate = trace.tracestate { line.add("tracestate", try encoded(tracestate)) }
      }
      if !action.isAccepted { line.add("accepted", false) }
      line.add("action", try encoded(redaction.action(action.action)))
    case .call(let call):
      line = Line("{\"kind\":\"call\",\"at\":\(call.at),\"took\":\(call.took)")
      if let run = call.run { line.add("run", "\"\(run)\"") }
      if let step = call.step { line.add("step", try encoded(step)) }
      if call.attempt != 1 { line.add("attempt", call.attempt) }
      line.add("name", try encoded(call.name))
      line.add("request", try encoded(call.request))
      switch call.reply {
      case .reply(let json): line.add("reply", try encoded(json))
      case .failure(let json): line.add("failure", try encoded(json))
      case .error(let text): line.add("error", try encoded(text))
      case .cancelled: line.add("cancelled", true)
      }
    case .commit(let commit):
      line = Line("{\"kind\":\"commit\",\"at\":\(commit.at),\"revision\":\(commit.revision),\"run\":\"\(commit.run)\"")
      line.add("mutation", try encoded(redaction.mutation(commit.mutation)))
    case .rest(let rest):
      line = Line("{\"kind\":\"rest\",\"at\":\(rest.at),\"run\":\"\(rest.run)\"")
      line.add("attempt", rest.attempt)
      line.add("duration", rest.duration)
    case .step(let step):
      line = Line("{\"kind\":\"step\",\"at\":\(step.at),\"run\":\"\(step.run)\"")
      if let enclosing = step.enclosingStep { line.add("step", try encoded(enclosing)) }
      if step.attempt != 1 { line.add("attempt", step.attempt) }
      line.add("name", try encoded(step.name))
      switch step.result {
      case .value(let json): line.add("value", try encoded(json))
      case .failure(let json): line.add("failure", try encoded(json))
      case .leftOut: line.add("leftOut", true)
      }
    case .end(let end):
      line = Line("{\"kind\":\"end\",\"at\":\(end.at),\"run\":\"\(end.run)\",\"outcome\":\"\(end.outcome)\"")
      if let error = end.error { line.add("error", try encoded(error)) }
    case .state(let state):
      line = Line("{\"kind\":\"state\"")
      try addState(state, to: &line)
    case .gap(let gap):
      line = Line("{\"kind\":\"gap\",\"at\":\(gap.at),\"missed\":\(gap.missed)")
    }
    return line.end()
  }

  private func addState(_ state: RecordedState<I.State>, to line: inout Line) throws(RecordingError) {
    let json = try encoded(redaction.state(state.state))
    line.add("at", state.at)
    line.add("revision", state.revision)
    line.add("hash", "\"\(StateHash(ofJSON: json))\"")
    line.add("state", json)
  }

  private func encoded<Value: Encodable>(_ value: Value) throws(RecordingError) -> Data {
    do {
      return try encoder.encode(value)
    } catch {
      throw RecordingError(
        .unencodable,
        """
        A value of \(TypeNames.name(of: Value.self)) cannot be encoded: \(RecordingError.reason(ofEncoding: error)); let it encode \
        every value.
        """)
    }
  }
}

/// A line in the making.
private struct Line {
  private var data: Data

  init(_ beginning: String) {
    data = Data(beginning.utf8)
  }

  mutating func add(_ key: String, _ value: some CustomStringConvertible) {
    data.append(contentsOf: ",\"\(key)\":\(value)".utf8)
  }

  mutating func add(_ key: String, _ json: Data) {
    data.append(contentsOf: ",\"\(key)\":".utf8)
    data.append(json)
  }

  consuming func end() -> Data {
    data.append(contentsOf: "}\n".utf8)
    return data
  }
}
