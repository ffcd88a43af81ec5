import Foundation
import Millrace
import MillraceMutation
import MillraceRecording
import MillraceReport
import MillraceTesting
import Testing

@testable import MillraceCommand

/// The readers of recordings had to be shown to survive damaged files: none may trap, hang, or take more memory than the file
/// warrants.
///
/// The file stays in the temporary folder where a reader traps, so that it can be looked at.
@Suite("Mutated recordings", .timeLimit(.minutes(60)))
struct MutatedRecordingTests {
  /// `MILLRACE_MUTATIONS` files, or 500.
  private static var count: Int {
    ProcessInfo.processInfo.environment["MILLRACE_MUTATIONS"].flatMap { Int($0) } ?? 500
  }

  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  @Test("Each is read, replayed, resimulated and shown, or refused in a sentence with the number of a line")
  func mutated() async throws {
    let original = try await Market.recording()
    let kinds = Set(original.entries.map { String(describing: $0).prefix { $0 != "(" } })
    #expect(kinds == ["action", "call", "commit", "rest", "step", "end", "state", "gap"])
    #expect(try original.replay().isSame)
    let lines = try original.jsonLines()
    let mutators = [false, true].map { RecordingMutator(lines, keepsHashes: $0) }
    var random = SeededGenerator(seed: 10)
    var (read, refused) = (0, 0)
    for _ in 0..<Self.count {
      let data = mutators[Int.random(in: 0...3, using: &random) == 0 ? 1 : 0].mutated(&random)
      let acceptsCutEnd = Bool.random(using: &random)
      try data.write(to: folder.file("mutated.jsonl"))
      if try await use(data, acceptsCutEnd) { read += 1 } else { refused += 1 }
      try show(acceptsCutEnd)
    }
    // If all mutations are noticed, or none is, the test shows nothing.
    #expect(read > Self.count / 20 && refused > Self.count / 20, "\(read) read, \(refused) refused")
  }

  /// Replays a recording, travels through it, and resimulates it; false if it is refused.
  private func use(_ data: Data, _ acceptsCutEnd: Bool) async throws -> Bool {
    do {
      let recording = try Recording<Market>.read(from: data, acceptsCutEnd: acceptsCutEnd)
      #expect(try !recording.replay().description.isEmpty)
      var cursor = try RecordingCursor(recording)
      for await _ in cursor.play(.recorded(speed: 1), clock: ImmediateClock()) {}
      try cursor.go(to: cursor.revisions.upperBound)
      _ = cursor.action
      while cursor.stepBack() {}
      let sender = MarketSender()
      let report = await recording.resimulate(clock: ImmediateClock(), began: { sender.set($0.sender) }) { tape in
        Market(tape: tape, send: { await sender.send($0) })
      }
      sender.set(nil)
      #expect(!report.description.isEmpty)
      return true
    } catch let error as RecordingError {
      check(error.description, isOfEmptyFile: data.isEmpty)
      #expect(error.line != nil || data.isEmpty, "\(error)")
      return false
    }
  }

  /// Does what the commands do, with the types of the service and without.
  private func show(_ acceptsCutEnd: Bool) throws {
    let file = RecordingFile(path: folder.file("mutated.jsonl").path, acceptsCutEnd: acceptsCutEnd)
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { check(CommandFailure(error).sentence, isOfEmptyFile: file.size == 0) }
    }
    func page(_ recordings: some Recordings) throws {
      var size = 0
      try recordings.page(of: file, rows: 20).write { size += $0.utf8.count }
      #expect(size < 1 << 20)
    }
    let (service, untyped) = (ServiceRecordings<Market>(redaction: nil), UntypedRecordings(command: "millrace"))
    attempt { try page(service) }
    attempt { try page(untyped) }
    attempt { _ = try service.facts(of: file) }
    attempt { _ = try untyped.facts(of: file) }
    attempt { _ = try service.replay(file) }
  }

  private func check(_ sentence: String, isOfEmptyFile: Bool) {
    #expect(sentence.last == "." && sentence.first?.isUppercase == true || isOfEmptyFile, "\(sentence)")
    #expect(sentence.contains(#/^Line \d+/#) || isOfEmptyFile, "\(sentence)")
    #expect(sentence.utf8.count < 4_000)
  }
}
