/// The reason for which a value cannot be decoded.
package enum DecodingReason {
  /// The reason as the middle of a sentence; it names the path in the value.
  package static func text(of error: any Error) -> String {
    // Keys may come from the file, and so may how many there are.
    func name(_ path: [any CodingKey]) -> String {
      let text = path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
      return String(text.first == "." ? text.dropFirst() : text[...]).shortened(to: 200)
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "\"\(name(context.codingPath + [key]))\" is missing"
    case DecodingError.valueNotFound(let type, let context):
      "\"\(name(context.codingPath))\" is null, and no \(type)"
    case DecodingError.typeMismatch(let type, let context):
      context.codingPath.isEmpty ? "it is no \(type)" : "\"\(name(context.codingPath))\" is no \(type)"
    case DecodingError.dataCorrupted(let context):
      if let mistake = context.underlyingError as? JSONMistake {
        text(of: mistake)
      } else if context.codingPath.isEmpty {
        "it is no JSON, or has a number that does not fit"
      } else {
        "\"\(name(context.codingPath))\" has no value that is possible"
      }
    default: "\(error)"
    }
  }

  /// The reason as the middle of a sentence about an entry, which has one line.
  private static func text(of mistake: JSONMistake) -> String {
    guard let position = mistake.position else { return "it \(mistake.problem)" }
    return
      "it is no JSON, because its \(position.line == 1 ? "column \(position.column)" : "\(position)") \(mistake.problem)"
  }
}
