import Foundation
import Millrace
import MillraceRecording

/// Replaying what was recorded.
let recordingRows: [Row] = [
  Row(name: "reference/fold") { size in
    let mutations = (0..<size.scaled(1_000_000)).map(Ledger.Mutation.add)
    var state = Ledger.State()
    let figure = await perItem(mutations.count) {
      for mutation in mutations { Ledger.reduce(into: &state, mutation: mutation) }
    }
    precondition(state.count == mutations.count)
    return figure
  },
  Row(name: "testing/replay", reference: "reference/fold", rounds: 5) { size in
    let recording = ledgerRecording(of: size.scaled(1_000_000))
    let count = recording.entries.count
    return try await perItem(count) {
      let report = try recording.replay(with: Ledger.self)
      precondition(report.divergence == nil && report.commits == count)
    }
  },
  Row(name: "reference/line-decode", rounds: 5) { size in
    let file = try LedgerFile(size.scaled(100_000))
    defer { file.remove() }
    return try await perItem(file.commits) {
      let decoder = JSONDecoder()
      var count = 0
      try file.eachLine { line in
        guard try decoder.decode(LedgerLine.self, from: line).revision != nil else { return }
        count += 1
      }
      // The header has a revision too.
      precondition(count == file.commits + 1)
    }
  },
  Row(name: "testing/replay-file", reference: "reference/line-decode", target: 1.3, rounds: 5) { size in
    let file = try LedgerFile(size.scaled(100_000))
    defer { file.remove() }
    return try await perItem(file.commits) {
      let report = try LedgerRecording.replay(contentsOf: file.url, with: Ledger.self)
      precondition(report.divergence == nil && report.commits == file.commits)
    }
  },
]

private typealias LedgerRecording = Recording<Ledger.Action, Ledger.Mutation, Ledger.State>

/// A recording of so many commits, one after the other.
private func ledgerRecording(of count: Int) -> LedgerRecording {
  let entries = (1...count).map { revision in
    LedgerRecording.Entry.commit(
      RecordedCommit(
        at: Int64(revision), revision: revision, run: RunID(store: 1, action: ActionID(number: UInt64(revision))),
        mutation: .add(revision)))
  }
  return LedgerRecording(
    header: RecordingHeader(
      of: (Ledger.Action.self, Ledger.Mutation.self, Ledger.State.self), isRedacted: false),
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
