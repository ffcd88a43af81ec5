import Foundation
import MillraceTesting
import Testing

/// Recordings and replays of gateways with methods of all shapes.
@Suite("FakeRecording, of all kinds of methods", .timeLimit(.minutes(1)))
final class RecordedGatewayTests {
  struct Refused: Error, Codable, Equatable {
    var code: Int
  }

  struct Shelf: FakeGateway {
    let fetches = FakeCall<String, [Record]>("fetch")
    let removals = FakeCall<(name: String, index: Int), Void>("remove")
    let refreshes = FakeCall<Void, Void>("refresh")
    let counts = FakeCall<Void, Int>("count")
    let follows = FakeStream<String, Record>("follow")
    let ticks = FakeStream<Void, Int>("tick")
  }

  let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl").path
  let failures = Failures()
  let clock = TestClock()

  deinit {
    for path in [path, path + ".partial"] { try? FileManager.default.removeItem(atPath: path) }
  }

  private func lines() throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().map(String.init)
  }

  private func shelf() -> Shelf { failures.collect { Shelf() } }

  private func recorder() throws -> FakeRecorder { try failures.collect { try FakeRecorder(path: path, clock: clock) } }

  @Test("Methods without arguments, with several, and without a result are recorded as they are")
  func shapes() async throws {
    let (gateway, recorder) = (shelf(), try recorder())
    gateway.removals.record(in: recorder) { if $0.index > 1 { throw Offline() } }
    gateway.refreshes.record(in: recorder) {}
    gateway.counts.record(in: recorder) { 3 }
    try await gateway.removals((name: "a/b", index: 1))
    await #expect(throws: Offline()) { try await gateway.removals((name: "a/b", index: 2)) }
    try await gateway.refreshes()
    #expect(try await gateway.counts() == 3)
    try recorder.finish()
    #expect(
      try lines() == [
        #"{"call":"remove","request":{"index":1,"name":"a/b"},"response":null}"#,
        #"{"call":"remove","failure":"Offline()","request":{"index":2,"name":"a/b"}}"#,
        #"{"call":"refresh","request":null,"response":null}"#,
        #"{"call":"count","request":null,"response":3}"#,
      ])
    let (replayed, recording) = (shelf(), try FakeRecording(path: path))
    try replayed.removals.replay(recording)
    try replayed.refreshes.replay(recording)
    try replayed.counts.replay(recording)
    await #expect(throws: FakeGatewayError.self) { try await replayed.removals((name: "a/b", index: 2)) }
    try await replayed.removals((name: "a/b", index: 1))
    try await replayed.refreshes()
    #expect(try await replayed.counts() == 3)
    await replayed.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("The arguments of a recording written by hand may come in any order")
  func byHand() async throws {
    try """
    {"format":"millrace-fake-calls","version":1}
    { "request": { "name" : "a",  "index": 1.0 }, "response": null, "call": "remove" }

    """.write(toFile: path, atomically: true, encoding: .utf8)
    let replayed = shelf()
    try replayed.removals.replay(FakeRecording(path: path))
    try await replayed.removals((name: "a", index: 1))
    await replayed.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("Errors of the type that is given are thrown again as what they were, others by their descriptions")
  func errors() async throws {
    let (gateway, recorder) = (shelf(), try recorder())
    gateway.fetches.record(in: recorder, errors: Refused.self) { name in
      if name == "other" { throw Offline() }
      throw Refused(code: 503)
    }
    await #expect(throws: Refused(code: 503)) { try await gateway.fetches("a") }
    await #expect(throws: Offline()) { try await gateway.fetches("other") }
    try recorder.finish()
    #expect(
      try lines() == [
        #"{"call":"fetch","error":{"code":503},"failure":"Refused(code: 503)","request":"a"}"#,
        #"{"call":"fetch","failure":"Offline()","request":"other"}"#,
      ])
    let (typed, plain) = (shelf(), shelf())
    try typed.fetches.replay(FakeRecording(path: path), errors: Refused.self)
    try plain.fetches.replay(FakeRecording(path: path))
    await #expect(throws: Refused(code: 503)) { try await typed.fetches("a") }
    for (gateway, name, text) in [(typed, "other", "Offline()"), (plain, "a", "Refused(code: 503)")] {
      let error = await #expect(throws: FakeGatewayError.self) { try await gateway.fetches(name) }
      #expect(error?.code == .recordedFailure)
      #expect(error?.description == text)
    }
    _ = try? await plain.fetches("other")
    await typed.finish()
    await plain.finish()
    #expect(failures.messages.isEmpty)
    let other = shelf()
    let error = #expect(throws: FakeRecordingError.self) {
      try other.fetches.replay(FakeRecording(path: path), errors: OtherError.self)
    }
    #expect(error?.line == 2)
  }

  struct OtherError: Error, Codable {
    var reason: String
  }

  /// Iterates a sequence, and gives its elements with "failed" behind them for an error.
  private func texts<Elements: AsyncSequence>(_ elements: Elements) async -> [String]
  where Elements.Element: CustomStringConvertible {
    var texts: [String] = []
    do {
      for try await element in elements { texts.append("\(element)") }
    } catch { texts.append("\(error)") }
    return texts
  }

  private func tick(_ gateway: Shelf) -> AsyncThrowingStream<Int, any Error> { gateway.ticks() }

  @Test("Streams are recorded with the times of their elements, and how they ended, or that they did not")
  func streams() async throws {
    let (live, gateway, recorder) = (shelf(), shelf(), try recorder())
    gateway.ticks.record(in: recorder) { live.ticks() as AsyncThrowingStream }
    for ending in ["finished", "failed", "left"] {
      let driven = live.ticks.drive()
      let seen = Recorder<Int>()
      let task = seen.record(from: tick(gateway))
      try await driven.opened()
      driven.yield(1)
      _ = try await seen.next()
      clock.advance(by: .milliseconds(1500))
      driven.yield(2)
      _ = try await seen.next()
      switch ending {
      case "finished": driven.finish()
      case "failed": driven.fail(Offline())
      default: task.cancel()
      }
      _ = await task.result
      try await driven.ended()
    }
    await gateway.finish()
    try recorder.finish()
    let elements = #""elements":[{"at":0,"element":1},{"at":1.5,"element":2}]"#
    #expect(
      try lines() == [
        #"{"call":"tick",\#(elements),"request":null}"#,
        #"{"call":"tick",\#(elements),"failure":"Offline()","request":null}"#,
        #"{"call":"tick",\#(elements),"open":true,"request":null}"#,
      ])
    await live.finish()
    #expect(failures.messages.isEmpty)
  }

  private func writeStreams() throws {
    let elements = #""elements":[{"at":0,"element":1},{"at":1.5,"element":2},{"at":1.5,"element":3}]"#
    try """
    {"format":"millrace-fake-calls","version":1}
    {"call":"tick",\(elements),"request":null}
    {"call":"tick",\(elements),"failure":"gone","request":null}
    {"call":"tick",\(elements),"open":true,"request":null}

    """.write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test("Streams are replayed at once, and one that was open stays so until its consumer leaves")
  func replayedStreams() async throws {
    try writeStreams()
    let gateway = shelf()
    try gateway.ticks.replay(FakeRecording(path: path))
    #expect(await texts(tick(gateway)) == ["1", "2", "3"])
    #expect(await texts(tick(gateway)) == ["1", "2", "3", "gone"])
    let seen = Recorder<Int>()
    let task = seen.record(from: tick(gateway))
    #expect(try await seen.next(3) == [1, 2, 3])
    #expect(gateway.ticks.calls.map { $0.ended != nil } == [true, true, false])
    task.cancel()
    _ = await task.result
    await gateway.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("With a clock the elements of a replayed stream come at their times")
  func replayedInTime() async throws {
    try writeStreams()
    let gateway = shelf()
    try gateway.ticks.replay(FakeRecording(path: path), clock: clock)
    for ending in ["finished", "failed", "open"] {
      let seen = Recorder<Int>()
      let task = seen.record(from: tick(gateway))
      #expect(try await seen.next() == 1)
      try await clock.waitForSleepers()
      clock.advance(by: .milliseconds(1499))
      #expect(clock.sleepers == 1)
      #expect(seen.recorded == [1])
      clock.advance(by: .milliseconds(1))
      #expect(try await seen.next(2) == [2, 3])
      if ending == "open" { task.cancel() }
      if case .failure(let error) = await task.result { #expect("\(error)" == "gone" && ending == "failed") }
    }
    await gateway.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A stream that is open when the recording ends is in it, and the end of the test ends it")
  func openStream() async throws {
    let (live, gateway, recorder) = (shelf(), shelf(), try recorder())
    gateway.follows.record(in: recorder) { live.follows($0) as AsyncThrowingStream }
    let driven = live.follows.drive()
    let seen = Recorder<Record>()
    let stream: AsyncThrowingStream<Record, any Error> = gateway.follows("all")
    let task = seen.record(from: stream)
    try await driven.opened()
    driven.yield(Record(name: "a"))
    _ = try await seen.next()
    try recorder.finish()
    #expect(
      try lines() == [#"{"call":"follow","elements":[{"at":0,"element":{"name":"a"}}],"open":true,"request":"all"}"#])
    await gateway.finish()
    #expect(failures.messages.count == 1)
    let error = await #expect(throws: FakeGatewayError.self) { try await task.value }
    #expect(error?.code == .finished)
    #expect("\(try await driven.ended())" == "cancelled")
    #expect(try lines().count == 1)
    #expect(failures.messages.count == 1)
  }

  @Test("A stream that does not fit the fake, and a call that is one, are told with their lines")
  func otherTypes() throws {
    for line in [
      #"{"call":"tick","elements":[{"at":0,"element":"a"}],"request":null}"#,
      #"{"call":"tick","elements":[{"element":1}],"request":null}"#, #"{"call":"tick","response":1,"request":null}"#,
      #"{"call":"count","elements":[],"request":null}"#,
    ] {
      try "{\"format\":\"millrace-fake-calls\",\"version\":1}\n\(line)\n".write(
        toFile: path, atomically: true, encoding: .utf8)
      let gateway = shelf()
      let error = #expect(throws: FakeRecordingError.self) {
        let recording = try FakeRecording(path: path)
        if line.contains("tick") { try gateway.ticks.replay(recording) } else { try gateway.counts.replay(recording) }
      }
      #expect(error?.code == .broken)
      #expect(error?.line == 2)
    }
  }

  @Test("A value that can be recorded but not decoded is told where it is recorded")
  func cannotBeReplayed() async throws {
    let pairs = failures.collect { FakeCall<Int, (Int, Int)>("pair") }
    let recorder = try recorder()
    pairs.record(in: recorder) { ($0, $0) }
    let line = UInt(#line - 1)
    #expect(
      failures.messages == [
        """
        What pair gives is recorded, but cannot be replayed: a (Int, Int) cannot be decoded. Make it Codable, or give a \
        RecordedForm that makes it of something that is.
        """
      ])
    #expect(failures.lines == [line])
    let form = RecordedForm<(Int, Int)>({ [$0.0, $0.1] }, back: { ($0[0], $0[1]) })
    pairs.record(in: recorder, response: form) { ($0, $0 + 1) }
    #expect(try await pairs(1) == (1, 2))
    try recorder.finish()
    let replayed = failures.collect { FakeCall<Int, (Int, Int)>("pair") }
    try replayed.replay(FakeRecording(path: path), response: form)
    #expect(try await replayed(1) == (1, 2))
    #expect(failures.messages.count == 1)
  }
}
