import Foundation

/// Any JSON, where the types behind it are not known.
enum JSONValue: Encodable, Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number that no `Int64` holds.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Creates the value of what `JSONSerialization` has parsed.
  init(parsed: Any) {
    self =
      switch parsed {
      // First, because to ask of an array whether it is an object of Foundation converts all that is in it, at each level.
      case let array as [Any]: .array(array.map(JSONValue.init(parsed:)))
      case let object as [String: Any]: .object(object.mapValues(JSONValue.init(parsed:)))
      case let string as String: .string(string)
      case let number as NSNumber: JSONValue(number)
      default: .null
      }
  }

  private init(_ number: NSNumber) {
    self =
      switch String(cString: number.objCType) {
      // The type code of a Boolean is that of a character.
      case "c": .bool(number.boolValue)
      case "Q": Int64(exactly: number.uint64Value).map { .integer($0) } ?? .unsigned(number.uint64Value)
      case "d": Int64(exactly: number.doubleValue).map { .integer($0) } ?? .number(number.doubleValue)
      default: .integer(number.int64Value)
      }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .unsigned(let unsigned): try container.encode(unsigned)
    case .number(let number): try container.encode(number)
    case .string(let string): try container.encode(string)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }

  /// The name of the enum's case that this is the encoding of, if it looks like one.
  var caseName: String? {
    switch self {
    case .object(let object) where object.count == 1: object.first.map { String($0.key.prefix(80)) }
    case .string(let name): String(name.prefix(80))
    default: nil
    }
  }
}

extension JSONValue: CustomReflectable {
  /// The parts that a difference compares: of an object by their names, of an array by their indices.
  var customMirror: Mirror {
    switch self {
    case .null, .bool, .integer, .unsigned, .number, .string: Mirror(self, children: [])
    case .array(let array): Mirror(self, unlabeledChildren: array, displayStyle: .collection)
    case .object(let object):
      Mirror(self, unlabeledChildren: object.map { (key: $0.key, value: $0.value) }, displayStyle: .dictionary)
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// The JSON on one line, with sorted keys, for a reader.
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .integer(let integer): "\(integer)"
    case .unsigned(let unsigned): "\(unsigned)"
    case .number(let number): "\(number)"
    case .string(let string): string.debugDescription
    case .array(let array): "[\(array.map(\.description).joined(separator: ","))]"
    case .object(let object):
      "{\(object.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription):\($0.value)" }.joined(separator: ","))}"
    }
  }
}
