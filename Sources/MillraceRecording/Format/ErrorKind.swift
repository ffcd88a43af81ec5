import Foundation
import Millrace

/// The kind of the error, without its payload.
enum ErrorKind {
  /// The name of the error's type with its module, and its case or its code if it has one.
  static func text(of error: any Error) -> String {
    let type = type(of: error)
    let name = TypeNames.name(of: type)
    if let error = error as? any CustomNSError { return "\(name) \(error.errorCode)" }
    let kind = CaseName.of(error)
    return kind == CaseName.name(of: type) ? name : "\(name).\(kind)"
  }
}

extension RecordingError {
  /// The reason for which a value cannot be encoded: by types and places alone, so that the reader does not learn the value.
  package static func reason(ofEncoding error: any Error) -> String {
    guard case EncodingError.invalidValue(let value, let context) = error else {
      return "\(ErrorKind.text(of: error)) was thrown"
    }
    let place = context.codingPath.map(place).joined(separator: ".")
    let type = TypeNames.name(of: Swift.type(of: value))
    return place.isEmpty ? "a value of \(type) has no JSON" : "\"\(place)\", a value of \(type), has no JSON"
  }

  /// A step of a coding path: the key of a dictionary is a value too.
  private static func place(_ key: any CodingKey) -> String {
    if let index = key.intValue { return "[\(index)]" }
    return Mirror(reflecting: key).displayStyle == .enum ? key.stringValue : "[…]"
  }
}
