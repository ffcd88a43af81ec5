import MillraceRecording

/// Any JSON, where the types behind it are not known.
enum JSONValue: Codable, Sendable, Hashable, ReadsAnyJSON {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number that no `Int64` holds.
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let object = try? container.decode([String: JSONValue].self) {
      self = .object(object)
    } else if let string = try? container.decode(String.self) {
      self = .string(string)
    } else if let array = try? container.decode([JSONValue].self) {
      self = .array(array)
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let unsigned = try? container.decode(UInt64.self) {
      self = .unsigned(unsigned)
    } else {
      self = .number(try container.decode(Double.self))
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
  /// What a difference looks into: the parts of an object by their names, those of an array by their places.
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
