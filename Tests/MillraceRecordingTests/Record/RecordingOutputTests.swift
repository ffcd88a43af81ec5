import Foundation
import Millrace
import Testing

@testable import MillraceRecording

/// The sizes at which an output continues elsewhere, leaves entries out, and writes; each one byte below, at and above.
@Suite("Recording output")
struct RecordingOutputTests {
  /// An interactor that no store has.
  private struct Nothing: Interactor {
    func handle(_ action: String, state: Int) -> Effect<Nothing> { .none }

    static func reduce(into state: inout Int, mutation: String) {}
  }

  private typealias Output = RecordingOutput<Nothing>

  private let log = TestSink.Log()
  private let run = RunID(store: 1, action: ActionID(number: 5))

  /// A commit whose line has this many bytes.
  private func commit(_ revision: Int, bytes: Int) throws -> Output.Entry {
    func entry(_ mutation: String) -> Output.Entry {
      .commit(RecordedCommit(at: 0, revision: revision, run: run, mutation: mutation))
    }
    let rest = try bytes - EntryWriter<Nothing>(redaction: Redaction(), began: nil).line(entry("")).count
    try #require(rest >= 0)
    return entry(String(repeating: "x", count: rest))
  }

  private var end: Output.Entry { .end(RecordedEnd(at: 0, run: run, outcome: .finished)) }

  private func output(limit: Int) throws -> Output {
    var output = Output(TestSink(log: log), redaction: Redaction(), began: 0, limit: limit, sizes: EncodedSizes())
    try output.begin(RecordedState(at: 0, revision: 0, state: 0))
    return output
  }

  @Test("The file continues elsewhere when as many bytes as the limit follow its header", arguments: [-1, 0, 1])
  func limit(difference: Int) throws {
    var output = try output(limit: 4_000)
    try output.write([commit(1, bytes: 3_000), commit(2, bytes: 1_000 + difference)])
    #expect(output.wantsState == (difference >= 0))
  }

  @Test("Entries that no commit follows are left out from an eighth above the limit on", arguments: [-1, 0, 1])
  func eighth(difference: Int) throws {
    var output = try output(limit: 4_000)
    try output.write([commit(1, bytes: 4_500 + difference), end])
    #expect(output.takeLeftOut() == (difference >= 0 ? 1 : 0))
  }

  @Test("Lines are gathered until they have 64 KiB", arguments: [-1, 0, 1])
  func chunk(difference: Int) throws {
    let writes = Lock(0)
    log.setWhenWritten { writes.withLock { $0 += 1 } }
    var output = try output(limit: 1 << 20)
    try output.write([commit(1, bytes: 65_536 + difference), end])
    #expect(writes.withLock { $0 } == (difference >= 0 ? 2 : 1))
  }
}
