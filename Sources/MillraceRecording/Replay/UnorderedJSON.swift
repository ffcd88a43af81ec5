import Foundation

/// JSON regardless of the order of arrays, in which sets and some dictionaries are encoded otherwise in each process.
struct UnorderedJSON: Equatable {
  private let text: String

  init(_ json: Data) throws {
    text = UnorderedJSON.text(try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed))
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let array as [Any]: "[\(array.map(text).sorted().joined(separator: ","))]"
    case let object as [String: Any]:
      "{\(object.map { "\($0.key.debugDescription):\(text($0.value))" }.sorted().joined(separator: ","))}"
    case let string as String: string.debugDescription
    default: "\(value)"
    }
  }
}
