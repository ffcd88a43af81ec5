import Foundation

/// The first line of a file.
struct HeaderLine<State: Codable & Sendable>: Decodable {
  let header: RecordingHeader
  let start: RecordedState<State>

  private enum Key: String, CodingKey {
    case millraceRecording, redacted, at, revision, hash, state
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    header = RecordingHeader(
      version: try container.decode(Int.self, forKey: .millraceRecording), types: try TypeNames(from: decoder),
      isRedacted: try container.decode(Bool.self, forKey: .redacted))
    start = RecordedState(
      at: try container.nanoseconds(.at), revision: try container.count(.revision),
      hash: try container.decodeIfPresent(HashText.self, forKey: .hash)?.hash,
      state: try container.decode(State.self, forKey: .state))
  }
}

/// The mark of a first line, and its version.
struct VersionLine: Decodable {
  let millraceRecording: Int
}

/// A hash as it stands in a line.
struct HashText: Decodable {
  let hash: StateHash

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let hash = StateHash(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "A hash is 16 hexadecimal digits.")
    }
    self.hash = hash
  }
}
