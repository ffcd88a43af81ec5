import Foundation
import MillraceRecording

/// JSON that is not read before its value is asked for: of most entries only the number counts.
struct UnreadJSON: Codable, Sendable, ReadsAnyJSON {
  private enum Content {
    case text(Data)
    case value(JSONValue)
  }

  private let content: Content

  init(json: Data) { content = .text(json) }

  init(parsed: Any) { content = .value(JSONValue(parsed: parsed)) }

  init(from decoder: any Decoder) throws {
    guard let value = UnreadJSON.value(at: decoder) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "A number has too large an exponent."))
    }
    self = value
  }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  /// The value, which is read each time.
  var value: JSONValue {
    switch content {
    // The reader of the line has seen that it is JSON.
    case .text(let text):
      JSONValue(
        parsed: (try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)) ?? NSNull())
    case .value(let value): value
    }
  }
}
