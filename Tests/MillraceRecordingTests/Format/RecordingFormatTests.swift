import Foundation
import Millrace
import Testing

@testable import MillraceRecording

/// The lines of a file, word for word: what older and newer versions have to agree on.
@Suite("Recording format")
struct RecordingFormatTests {
  static let run = RunID(store: 1, action: ActionID(number: 5))
  static let other = RunID(store: 1, action: ActionID(number: 8))

  static let lines: [String] = [
    ##"{"millraceRecording":3,"actionType":"MillraceRecordingTests.Till.Action","##
      + ##""mutationType":"MillraceRecordingTests.Till.Mutation","stateType":"MillraceRecordingTests.Till.State","##
      + ##""redacted":false,"began":"2026-11-25T16:44:38.120Z","at":0,"revision":0,"hash":"2420e9479412ee2e","##
      + ##""state":{"articles":[],"customer":"","isLooking":false,"total":0}}"##,
    ##"{"kind":"action","at":10,"run":"#5@1","action":{"look":{"_0":"tea"}}}"##,
    ##"{"kind":"action","at":11,"run":"#8@1","parent":"#5@1","root":"#5@1","traceparent":"00-1","tracestate":"a=\"b\"","##
      + ##""accepted":false,"action":{"refuse":{}}}"##,
    ##"{"kind":"commit","at":12,"revision":1,"run":"#5@1","mutation":{"looking":{}}}"##,
    ##"{"kind":"call","at":13,"took":2,"run":"#5@1","name":"price","request":"\"tea\"","reply":"3"}"##,
    ##"{"kind":"call","at":14,"took":2,"name":"price","request":"1","failure":"{}"}"##,
    ##"{"kind":"call","at":14,"took":2,"name":"price","request":"2","error":"no \"way\""}"##,
    ##"{"kind":"call","at":14,"took":2,"name":"price","request":"3","cancelled":true}"##,
    ##"{"kind":"rest","at":14,"run":"#5@1","attempt":2,"duration":75000000}"##,
    ##"{"kind":"end","at":15,"run":"#8@1","outcome":"rejected","error":"too \"late\""}"##,
    ##"{"kind":"state","at":15,"revision":1,"hash":"cd69201d09c89a6f","##
      + ##""state":{"articles":[],"customer":"","isLooking":true,"total":0}}"##,
    ##"{"kind":"step","at":15,"run":"#5@1","name":"charge","value":"{\"id\":7}"}"##,
    ##"{"kind":"step","at":15,"run":"#5@1","name":"ship \"tea\"","failure":"{\"text\":\"gone\"}"}"##,
    ##"{"kind":"gap","at":16,"missed":3}"##,
  ]

  /// A file of version 2, as it was written then.
  static let secondVersion: [String] = [
    ##"{"millraceRecording":2,"actionType":"MillraceRecordingTests.Till.Action","##
      + ##""mutationType":"MillraceRecordingTests.Till.Mutation","stateType":"MillraceRecordingTests.Till.State","##
      + ##""redacted":false,"at":0,"revision":0,"hash":"2420e9479412ee2e","##
      + ##""state":{"articles":[],"customer":"","isLooking":false,"total":0}}"##,
    ##"{"kind":"action","at":10,"run":"#5@1","action":{"look":{"_0":"tea"}}}"##,
    ##"{"kind":"action","at":11,"run":"#8@1","parent":"#5@1","root":"#5@1","traceparent":"00-1","tracestate":"a=\"b\"","##
      + ##""accepted":false,"action":{"refuse":{}}}"##,
    ##"{"kind":"commit","at":12,"revision":1,"run":"#5@1","mutation":{"looking":{}}}"##,
    ##"{"kind":"call","at":13,"took":2,"run":"#5@1","name":"price","request":"\"tea\"","reply":"3"}"##,
    ##"{"kind":"call","at":14,"took":2,"name":"price","request":"1","failure":"{}"}"##,
    ##"{"kind":"call","at":14,"took":2,"name":"price","request":"2","error":"no \"way\""}"##,
    ##"{"kind":"call","at":14,"took":2,"name":"price","request":"3","cancelled":true}"##,
    ##"{"kind":"rest","at":14,"run":"#5@1","attempt":2,"duration":75000000}"##,
    ##"{"kind":"end","at":15,"run":"#8@1","outcome":"rejected"}"##,
    ##"{"kind":"state","at":15,"revision":1,"hash":"cd69201d09c89a6f","##
      + ##""state":{"articles":[],"customer":"","isLooking":true,"total":0}}"##,
    ##"{"kind":"gap","at":16,"missed":3}"##,
  ]

  static let recording = Recording<Till>(
    header: RecordingHeader(of: Till.self, isRedacted: false, began: 1_795_625_078_120),
    start: RecordedState(at: 0, revision: 0, state: Till.State()),
    entries: [
      .action(
        RecordedAction(
          at: 10, run: run, parent: nil, root: run, trace: nil, isAccepted: true, action: .look("tea"))),
      .action(
        RecordedAction(
          at: 11, run: other, parent: run, root: run, trace: TraceContext(traceparent: "00-1", tracestate: "a=\"b\""),
          isAccepted: false, action: .refuse)),
      .commit(RecordedCommit(at: 12, revision: 1, run: run, mutation: .looking)),
      .call(RecordedCall(at: 13, took: 2, run: run, name: "price", request: "\"tea\"", reply: .reply("3"))),
      .call(RecordedCall(at: 14, took: 2, run: nil, name: "price", request: "1", reply: .failure("{}"))),
      .call(RecordedCall(at: 14, took: 2, run: nil, name: "price", request: "2", reply: .error("no \"way\""))),
      .call(RecordedCall(at: 14, took: 2, run: nil, name: "price", request: "3", reply: .cancelled)),
      .rest(RecordedRest(at: 14, run: run, attempt: 2, duration: 75_000_000)),
      .end(RecordedEnd(at: 15, run: other, outcome: .rejected, error: "too \"late\"")),
      .state(RecordedState(at: 15, revision: 1, state: Till.State(isLooking: true))),
      .step(RecordedStep(at: 15, run: run, name: "charge", result: .value(#"{"id":7}"#))),
      .step(RecordedStep(at: 15, run: run, name: "ship \"tea\"", result: .failure(#"{"text":"gone"}"#))),
      .gap(RecordedGap(at: 16, missed: 3)),
    ])

  @Test("Each entry is written as the line it has always been")
  func written() throws {
    let lines = String(decoding: try Self.recording.jsonLines(), as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(lines == Self.lines)
  }

  @Test("Each line is read as the entry that it was")
  func read() throws {
    let data = Data(Self.lines.map { $0 + "\n" }.joined().utf8)
    let read = try Recording<Till>.read(from: data)
    #expect(read.header == Self.recording.header)
    #expect(read.start.hash?.description == "2420e9479412ee2e")
    #expect(read.cut == nil)
    #expect(try read.jsonLines() == data)
    #expect(read.entries.map(\.at) == [10, 11, 12, 13, 14, 14, 14, 14, 15, 15, 15, 15, 16])
    guard case .action(let action) = read.entries[1], case .end(let end) = read.entries[8],
      case .step(let step) = read.entries[10], case .step(let failed) = read.entries[11]
    else {
      Issue.record("The entries are of other kinds.")
      return
    }
    #expect(action.parent == Self.run)
    #expect(action.trace == TraceContext(traceparent: "00-1", tracestate: "a=\"b\""))
    #expect(!action.isAccepted)
    #expect(end == RecordedEnd(at: 15, run: Self.other, outcome: .rejected, error: "too \"late\""))
    #expect(step == RecordedStep(at: 15, run: Self.run, name: "charge", result: .value(#"{"id":7}"#)))
    #expect(failed.result == .failure(#"{"text":"gone"}"#))
  }

  @Test("A file of version 1, which has no rests, is read, and is written as the version that it is")
  func firstVersion() throws {
    let lines = Self.secondVersion.filter { !$0.contains("\"rest\"") }
    let data = Data(lines.map { $0.replacing("Recording\":2", with: "Recording\":1") + "\n" }.joined().utf8)
    let read = try Recording<Till>.read(from: data)
    #expect(read.header.version == 1)
    #expect(read.entries.count == 10)
    #expect(try read.jsonLines() == data)
  }

  @Test("A file of version 2 is read as it was, and is written as the version that it is")
  func secondVersion() throws {
    let data = Data(Self.secondVersion.map { $0 + "\n" }.joined().utf8)
    let read = try Recording<Till>.read(from: data)
    #expect(read.header.version == 2)
    #expect(read.header.began == nil)
    #expect(read.entries.count == 11)
    guard case .end(let end) = read.entries[8] else {
      Issue.record("The entries are of other kinds.")
      return
    }
    #expect(end == RecordedEnd(at: 15, run: Self.other, outcome: .rejected))
    #expect(try read.jsonLines() == data)
    #expect(try read.replay().isSame)
  }

  @Test(
    "A wall time is read as it is written, to the millisecond and up to the year 9999",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_625_078_120, "2026-11-25T16:44:38.120Z"),
      (951_782_400_007, "2000-02-29T00:00:00.007Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func wallTime(milliseconds: Int64, text: String) {
    #expect(WallTimeText(milliseconds).description == text)
    #expect(WallTimeText(text: text)?.milliseconds == milliseconds)
  }

  @Test("A clock that shows no possible time makes the first or the last one that can be written")
  func impossibleWallTime() {
    #expect(WallTimeText(.min).milliseconds == 0)
    #expect(WallTimeText(.max).description == "9999-12-31T23:59:59.999Z")
  }

  @Test(
    "Another text than a wall time is refused, and so is a time that there is not",
    arguments: [
      "", ".", "2026-11-25T16:44:38Z", "2026-11-25T16:44:38.1Z", "2026-11-25T16:44:38.1234Z",
      "2026-11-25T16:44:38.-10Z",
      "2026-11-25T16:44:38.120+", "2026-02-30T16:44:38.120Z", "2026-11-25T24:44:38.120Z", "1969-12-31T23:59:59.000Z",
      "2026-11-25 16:44:38.120Z", "99999999999999999-01-01T00:00:00.000Z", "2026-11-25T16:44:38.9223372036854775807Z",
    ])
  func noWallTime(text: String) throws {
    #expect(WallTimeText(text: text) == nil)
    let line = Self.lines[0].replacing("2026-11-25T16:44:38.120Z", with: text)
    let error = #expect(throws: RecordingError.self) { try Recording<Till>.read(from: Data(line.utf8)) }
    #expect(
      error?.description == """
        Line 1 cannot be read: "began" has no value that is possible. The line was damaged; take the file as the recorder \
        wrote it.
        """)
  }

  @Test("A run is read as it is written, and nothing else is", arguments: ["5@1", "#@1", "#5@", "#5@1@2", "#-5@1", ""])
  func runText(broken: String) {
    #expect(RunID(text: "#5@1") == Self.run)
    #expect(RunID(text: broken) == nil)
  }
}
