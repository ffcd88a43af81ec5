import Foundation
import Millrace
import MillraceMutation
import MillraceTesting
import Testing

@testable import MillraceCommand
@testable import MillraceRecording

/// To tell of a recording, each line was parsed twice, which took ten times as long as to parse it once.
@Suite("Unread JSON")
struct UnreadJSONTests {
  /// A value that knows whether it was parsed with its line.
  private struct Value: Codable, Sendable, ReadsAnyJSON {
    let wasParsed: Bool
    init(json: Data) { wasParsed = false }
    init(parsed: Any) { wasParsed = true }
    init(from decoder: any Decoder) throws { self = Value.value(at: decoder) ?? Value(parsed: "") }
  }

  private struct Values: Interactor {
    func handle(_ action: Value, state: Value) -> Effect<Values> { .none }

    static func reduce(into state: inout Value, mutation: Value) {}
  }

  @Test("No value of a line as a recorder writes it is read")
  func unread() async throws {
    let lines = try await Market.recording().jsonLines()
    for entry in try Recording<Values>.read(from: lines).entries {
      switch entry {
      case .action(let action): #expect(!action.action.wasParsed)
      case .commit(let commit): #expect(!commit.mutation.wasParsed)
      case .state(let state): #expect(!state.state.wasParsed)
      case .call, .rest, .step, .end, .gap: break
      }
    }
  }

  @Test("A mutated line is the same entry as if its values were read, or is refused as well")
  func mutated() async throws {
    typealias Line = EntryLine<UnreadJSON, UnreadJSON, UnreadJSON>
    let mutator = RecordingMutator(try await Market.recording().jsonLines(), keepsHashes: true)
    let decoder = JSONDecoder()
    var random = SeededGenerator(seed: 12)
    var differing: [String] = []
    for _ in 0..<200 {
      for line in mutator.mutated(&random).split(separator: UInt8(ascii: "\n")) {
        let taken = try? Line.entry(ofLine: line, decoder)
        let read = try? decoder.decode(Line.self, ofLine: line, for: UnreadJSON.self).entry
        if text(taken) != text(read) { differing.append(String(decoding: line, as: UTF8.self)) }
      }
    }
    #expect(differing == [])
  }

  private func text(_ entry: RecordingEntry<UnreadJSON, UnreadJSON, UnreadJSON>?) -> String {
    switch entry {
    case .action(let action): "\(action.with(UnreadJSON(parsed: 0), action.trace)) \(action.action.value)"
    case .commit(let commit): "\(commit.with(UnreadJSON(parsed: 0))) \(commit.mutation.value)"
    case .state(let state): "\(state.at) \(state.revision) \(state.hash as StateHash?) \(state.state.value)"
    case .call, .rest, .step, .end, .gap, nil: "\(entry as Any)"
    }
  }
}
