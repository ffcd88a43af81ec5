import Foundation
import MillraceTesting
import Testing

@Suite("FakeRecording", .timeLimit(.minutes(1)))
final class FakeRecordingTests {
  struct Query: Codable, Hashable {
    var text: String
    var limit: Int?
  }

  let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl").path
  let failures = Failures()
  let fetches: FakeCall<Query, [Record]>
  let counts: FakeCall<String, Int?>

  init() {
    fetches = failures.collect { FakeCall("fetch") }
    counts = failures.collect { FakeCall("count") }
  }

  deinit {
    for path in [path, path + ".partial"] { try? FileManager.default.removeItem(atPath: path) }
  }

  private let header = #"{"format":"millrace-fake-calls","version":1}"#

  private func write(_ lines: String...) throws {
    try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// The error of reading the file and replaying the calls of `fetches`.
  private func problem() throws -> FakeRecordingError {
    try #require(throws: FakeRecordingError.self) { try fetches.replay(FakeRecording(path: path)) }
  }

  @Test("Replies of live gateways are recorded line by line, and replayed by request")
  func roundTrip() async throws {
    let recorder = try FakeRecorder(path: path)
    fetches.record(in: recorder) { query in
      if query.text == "bad" { throw Offline() }
      if query.text == "cancelled" { throw CancellationError() }
      return [Record(name: query.text)]
    }
    counts.record(in: recorder) { $0.isEmpty ? nil : $0.count }
    #expect(try await fetches(Query(text: "a/b", limit: 1)) == [Record(name: "a/b")])
    await #expect(throws: Offline()) { try await fetches(Query(text: "bad")) }
    await #expect(throws: CancellationError.self) { try await fetches(Query(text: "cancelled")) }
    #expect(try await counts("") == nil)
    #expect(try await counts("abc") == 3)
    try recorder.finish()
    #expect(
      try String(contentsOfFile: path, encoding: .utf8) == """
        \(header)
        {"call":"fetch","request":{"limit":1,"text":"a/b"},"response":[{"name":"a/b"}]}
        {"call":"fetch","failure":"Offline()","request":{"text":"bad"}}
        {"call":"count","request":"","response":null}
        {"call":"count","request":"abc","response":3}

        """)
    let recording = try FakeRecording(path: recorder.path)
    let (replayed, counted) = failures.collect {
      (FakeCall<Query, [Record]>("fetch"), FakeCall<String, Int?>("count"))
    }
    try replayed.replay(recording)
    let line = UInt(#line - 1)
    try counted.replay(recording)
    #expect(try await counted("abc") == 3)
    #expect(try await counted("") == nil)
    let error = await #expect(throws: FakeGatewayError.self) { try await replayed(Query(text: "bad")) }
    #expect(error?.code == .recordedFailure)
    #expect(error?.description == "Offline()")
    await counted.finish()
    #expect(failures.messages.isEmpty)
    await replayed.finish()
    #expect(failures.lines == [line])
    #expect(
      failures.messages == [
        """
        The recorded call of fetch with {"limit":1,"text":"a/b"} that is replayed here was not made; fetch was called \
        once in all. Find out why, or record the file again.
        """
      ])
  }

  @Test("Equal requests get their answers in the order of the recording")
  func equalRequests() async throws {
    try write(
      header, #"{"call":"count","request":"a","response":1}"#, "", #"{"call":"count","request":"a","response":2}"#)
    try counts.replay(FakeRecording(path: path))
    #expect(try await counts("a") == 1)
    #expect(try await counts("a") == 2)
  }

  @Test("A file that is not there, or is no recording, is told with the fix")
  func noRecording() throws {
    var error = try problem()
    #expect(error.code == .inaccessible)
    #expect(
      error.description
        == "\(path): there is no recording that can be read; record it with a FakeRecorder of this path.")
    for line in ["", "{", #"{"format":"other","version":1}"#] {
      try write(line)
      error = try problem()
      #expect(error.code == .broken)
      #expect(error.line == 1)
      #expect(
        error.description == """
          \(path):1: a recording of fake calls begins with a line that says its format; record the file again with a FakeRecorder.
          """)
    }
  }

  @Test("A newer recording is told with both versions")
  func newer() throws {
    try write(#"{"format":"millrace-fake-calls","version":2,"more":true}"#)
    let error = try problem()
    #expect(error.code == .newer)
    #expect(
      error.description == """
        \(path):1: this recording is of version 2, and versions up to 1 can be read; take a newer Millrace, or record the file again.
        """)
  }

  @Test("A line that is broken, cut off or not that of a call is told with its number")
  func broken() throws {
    let good = #"{"call":"fetch","request":{"text":"a"},"response":[]}"#
    for line in [String(good.dropLast(9)), "[]", #"{"request":{"text":"a"},"response":[]}"#, "nonsense"] {
      try write(header, good, line)
      let error = try problem()
      #expect(error.code == .broken)
      #expect(error.line == 3)
      #expect(
        error.description
          == "\(path):3: this line is not that of a call, or is cut off; take it out, or record the file again.")
    }
  }

  @Test("A call that does not fit the types of the fake is told with its number, and nothing is scripted")
  func otherTypes() async throws {
    let good = #"{"call":"fetch","request":{"text":"a"},"response":[]}"#
    for line in [#"{"call":"fetch","request":{"text":"a"}}"#, #"{"call":"fetch","request":"a","response":[]}"#] {
      try write(header, good, line)
      let error = try problem()
      #expect(error.code == .broken)
      #expect(
        error.description == """
          \(path):3: this call of fetch does not go from Query to Array<Record>, as the fake does; record the file \
          again, or let the types decode what they were.
          """)
    }
    await fetches.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A recording without a call of the fake's name is told with the names it has")
  func withoutCall() throws {
    try write(header)
    #expect(
      try problem().description
        == "\(path): there is no call of fetch, but none at all; give the fake the name it was recorded with, or record the file again."
    )
    try write(header, #"{"call":"remove","request":1,"response":1}"#, #"{"call":"count","request":1,"response":1}"#)
    let error = try problem()
    #expect(error.code == .withoutCall)
    #expect(
      error.description == """
        \(path): there is no call of fetch, but of count, remove; give the fake the name it was recorded with, or \
        record the file again.
        """)
  }

  @Test(
    "A recording that cannot be begun throws, and a call that cannot be written fails the test where it is recorded")
  func cannotWrite() async throws {
    let nowhere = "/nowhere/at/all.jsonl"
    let error = try #require(throws: FakeRecordingError.self) { try FakeRecorder(path: nowhere) }
    #expect(error.code == .inaccessible)
    #expect(
      error.description
        == "\(nowhere): a recording cannot be written there; see that its folder exists and may be written to.")
    let numbers = failures.collect { FakeCall<Double, Double>("number") }
    let recorder = try FakeRecorder(path: path)
    numbers.record(in: recorder) { $0 }
    let line = UInt(#line - 1)
    #expect(try await numbers(.infinity) == .infinity)
    #expect(failures.messages.count == 1)
    #expect(failures.messages[0].hasPrefix("\(path): a call cannot be encoded as JSON, and is left out: "))
    #expect(failures.lines == [line])
    #expect(throws: FakeRecordingError.self) { try recorder.finish() }
  }
}
