/// The reason for which a value cannot be decoded.
package enum DecodingReason {
  /// The reason as the middle of a sentence; it names the place in the value.
  package static func text(of error: any Error) -> String {
    // Keys may come from the file, and so may how many there are.
    func place(_ path: [any CodingKey]) -> String {
      path.map(\.stringValue).joined(separator: ".").shortened(to: 200)
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context): "\"\(place(context.codingPath + [key]))\" is missing"
    case DecodingError.valueNotFound(let type, let context): "\"\(place(context.codingPath))\" is null, and no \(type)"
    case DecodingError.typeMismatch(let type, let context):
      context.codingPath.isEmpty ? "it is no \(type)" : "\"\(place(context.codingPath))\" is no \(type)"
    case DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty ? "it is no JSON" : "\"\(place(context.codingPath))\" has no value that is possible"
    default: "\(error)"
    }
  }
}
