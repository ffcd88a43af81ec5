import Foundation
import MillraceTesting
import Testing

@Suite("FakeRecorder", .timeLimit(.minutes(1)))
final class FakeRecorderTests {
  let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl").path
  let failures = Failures()
  let counts = FakeCall<String, Int>("count")

  deinit {
    for path in [path, path + ".partial"] { try? FileManager.default.removeItem(atPath: path) }
  }

  private func recorder() throws -> FakeRecorder {
    try failures.collect { try FakeRecorder(path: path, file: "Tests/Some.swift", line: 7) }
  }

  private func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

  @Test("A recording takes the place of an earlier one when it is finished, and not before")
  func replaced() async throws {
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    let recorder = try recorder()
    counts.record(in: recorder) { $0.count }
    _ = try await counts("a")
    #expect(text(path) == "old")
    try recorder.finish()
    #expect(text(path)?.contains(#"{"call":"count","request":"a","response":1}"#) == true)
    #expect(text(path + ".partial") == nil)
    try recorder.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("A recording of nothing is told, and an earlier one stays")
  func nothing() throws {
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    let recorder = try recorder()
    let error = #expect(throws: FakeRecordingError.self) { try recorder.finish() }
    #expect(error?.code == .empty)
    #expect(
      error?.description == "\(path): no call was recorded, and the file is as it was; make the calls before finish().")
    #expect(text(path) == "old")
    #expect(text(path + ".partial") == nil)
  }

  @Test(
    "A recorder released without an end leaves an earlier recording, and tells where its own is, if there is one")
  func letGo() async throws {
    try "old".write(toFile: path, atomically: true, encoding: .utf8)
    do { _ = try recorder() }
    #expect(failures.messages.isEmpty)
    #expect(text(path + ".partial") == nil)
    do {
      let counts = FakeCall<String, Int>("count")
      counts.record(in: try recorder()) { $0.count }
      _ = try await counts("a")
    }
    #expect(
      failures.messages == [
        """
        The recorder was released without finish(), so that \(path) is as it was; what was recorded stands in \
        \(path).partial. Call finish() once all calls have ended.
        """
      ])
    #expect(failures.lines == [7])
    #expect(text(path) == "old")
    #expect(text(path + ".partial")?.contains(#""call":"count""#) == true)
  }

  @Test("A path has one recorder at a time; the second one is refused, and the first one keeps its calls")
  func twoRecorders() async throws {
    let first = try recorder()
    counts.record(in: first) { $0.count }
    _ = try await counts("a")
    let error = try #require(throws: FakeRecordingError.self) { try recorder() }
    #expect(error.code == .inUse)
    #expect(
      error.description == """
        \(path): another recorder, in this process or in another one, records to this file; finish that one first, record \
        all calls in it, or give each recorder a path of its own.
        """)
    _ = try await counts("ab")
    try first.finish()
    #expect(text(path)?.split(separator: "\n").count == 3)
    let later = FakeCall<String, Int>("count")
    let second = try recorder()
    later.record(in: second) { $0.count }
    _ = try await later("abc")
    try second.finish()
    #expect(text(path)?.contains(#""request":"abc""#) == true && text(path)?.split(separator: "\n").count == 2)
    #expect(failures.messages.isEmpty)
  }

  @Test("A file left by a recorder that was released or has crashed is in no recorder's way")
  func leftOver() async throws {
    try "half a line".write(toFile: path + ".partial", atomically: true, encoding: .utf8)
    let recorder = try recorder()
    counts.record(in: recorder) { $0.count }
    _ = try await counts("a")
    try recorder.finish()
    #expect(text(path)?.hasPrefix("{") == true && text(path)?.contains("half") == false)
    #expect(text(path + ".partial") == nil)
  }

  @Test("A call that ends after the recording fails the test, and is answered")
  func tooLate() async throws {
    let counts = failures.collect { FakeCall<String, Int>("count") }
    let recorder = try recorder()
    counts.record(in: recorder) { $0.count }
    let line = UInt(#line - 1)
    _ = try await counts("a")
    try recorder.finish()
    #expect(try await counts("ab") == 2)
    #expect(
      failures.messages == [
        "\(path): a call ended after finish(), and is left out; call finish() once all calls have ended."
      ])
    #expect(failures.lines == [line])
  }
}
