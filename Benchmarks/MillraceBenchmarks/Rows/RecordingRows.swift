import Foundation
import Millrace
import MillraceRecording

/// Replaying what was recorded.
let recordingRows: [Row] = [
  // At 200 times what a bare reduce takes, a million commits are replayed in a second. The replay reads the whole recording
  // from memory and the reference stays in the cache, so their ratio differs between machines: only allocations are gated.
  Row(name: "testing/replay", reference: "reference/reduce", target: 200, gate: .allocations) { size in
    let count = size.scaled(1_000_000)
    let recording = ledgerRecording(of: count)
    return try await perItem(count) {
      let report = try recording.replay()
      precondition(report.divergence == nil && report.commits == count && report.comparisons > 0)
    }
  },
  Row(name: "reference/line-decode") { size in
    let file = try LedgerFile(size.scaled(100_000))
    defer { file.remove() }
    return try await perItem(file.commits) {
      let decoder = JSONDecoder()
      var count = 0
      try file.eachLine { line in
        if try decoder.decode(LedgerLine.self, from: line).mutation != nil { count += 1 }
      }
      precondition(count == file.commits)
    }
  },
  Row(name: "testing/replay-file", reference: "reference/line-decode", target: 1.3, gate: .allocations) { size in
    let file = try LedgerFile(size.scaled(100_000))
    defer { file.remove() }
    return try await perItem(file.commits) {
      let report = try Recording<Ledger>.replay(contentsOf: file.url)
      precondition(report.divergence == nil && report.commits == file.commits)
    }
  },
]

/// A recording of `count` commits, one after the other, with the states that a recorder writes.
private func ledgerRecording(of count: Int) -> Recording<Ledger> {
  var state = Ledger.State()
  var entries: [Recording<Ledger>.Entry] = []
  for revision in 1...count {
    Ledger.reduce(into: &state, mutation: .add(revision))
    let run = RunID(store: 1, action: ActionID(number: UInt64(revision)))
    entries.append(
      .commit(RecordedCommit(at: Int64(revision), revision: revision, run: run, mutation: .add(revision))))
    if revision.isMultiple(of: 256) {
      entries.append(.state(RecordedState(at: Int64(revision), revision: revision, state: state)))
    }
  }
  return Recording<Ledger>(
    header: RecordingHeader(of: Ledger.self, isRedacted: false),
    start: RecordedState(at: 0, revision: 0, state: Ledger.State()), entries: entries)
}

/// A small state, and what changes it.
private struct Ledger: Interactor {
  enum Action: Codable, Sendable { case add(Int) }
  enum Mutation: Codable, Sendable { case add(Int) }

  struct State: Codable, Sendable {
    var count = 0
    var total = 0
  }

  typealias Mutations = Effect<Self>

  static func reduce(into state: inout State, mutation: Mutation) {
    guard case .add(let number) = mutation else { return }
    state.count += 1
    state.total &+= number
  }
}

/// The same line as a recording has for a commit, decoded by hand.
private struct LedgerLine: Decodable {
  let kind: String?
  let at: Int64
  let revision: Int?
  let run: String?
  let mutation: Ledger.Mutation?
  let hash: String?
  let state: Ledger.State?
}

/// A file with a recording.
private struct LedgerFile {
  let url: URL
  let commits: Int

  init(_ commits: Int) throws {
    self.commits = commits
    url = FileManager.default.temporaryDirectory.appending(path: "millrace-\(UUID()).jsonl")
    try ledgerRecording(of: commits).write(to: url)
  }

  func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// Calls `body` with each line, read in chunks of the size that a recording's reader has.
  func eachLine(_ body: (Data) throws -> Void) throws {
    let handle = try FileHandle(forReadingFrom: url)
    var rest = Data()
    while let chunk = try handle.read(upToCount: 1 << 18), !chunk.isEmpty {
      rest += chunk
      while let end = lineBreak(in: rest) {
        try body(rest[rest.startIndex..<end])
        rest = rest[(end + 1)...]
      }
    }
  }

  private func lineBreak(in data: Data) -> Data.Index? {
    data.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base, 0x0A, bytes.count) else { return nil }
      return data.startIndex + (UnsafeRawPointer(found) - base)
    }
  }
}
