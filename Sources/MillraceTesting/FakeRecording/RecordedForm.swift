import Foundation

/// The recorded form of a request, a response or an element.
///
/// By default a `Codable` value stands there as it is encoded, nothing (`Void`) as null, and several arguments, which are a
/// tuple, as an object with their labels. What is neither is recorded as another type that is `Codable`:
///
/// ```swift
/// gateway.loads.record(in: recorder, response: RecordedForm({ $0.url.path }, back: { File(path: $0) })) { … }
/// ```
public struct RecordedForm<Value: Sendable>: Sendable {
  /// Gives what is encoded in place of a value.
  let encoded: @Sendable (Value) throws -> any Encodable
  /// Makes a value again; nil where that cannot be done, as of a tuple.
  let decoded: (@Sendable (any Decoder) throws -> Value)?

  /// Records values as another type.
  ///
  /// Both closures may be called from any thread, and with the fake locked: they must not use it.
  ///
  /// - Parameters:
  ///   - form: gives what is recorded of a value. Of a request, it has to be encoded the same for equal requests: give a set, and a
  ///     dictionary whose keys are no strings, in an order.
  ///   - back: makes the value of that again.
  public init<Form: Codable & SendableMetatype>(
    _ form: @escaping @Sendable (Value) throws -> Form, back: @escaping @Sendable (Form) throws -> Value
  ) {
    encoded = form
    decoded = { try back($0.singleValueContainer().decode(Form.self)) }
  }

  private init(
    encoded: @escaping @Sendable (Value) throws -> any Encodable,
    decoded: (@Sendable (any Decoder) throws -> Value)?
  ) {
    self.encoded = encoded
    self.decoded = decoded
  }

  /// As the type of the value has it: `Codable`, nothing, or a tuple of what can be encoded.
  public static var automatic: RecordedForm {
    if let nothing = () as? Value {
      return RecordedForm(encoded: { _ in Nothing() }, decoded: { _ in nothing })
    }
    if !(Value.self is any Decodable.Type) {
      return RecordedForm(encoded: { try Parts(of: $0) }, decoded: nil)
    }
    return RecordedForm(
      encoded: { value in
        guard let value = value as? any Encodable else { throw RecordedFormError(value) }
        return value
      },
      decoded: { decoder in
        guard let type = Value.self as? any Decodable.Type, let value = try Self.decode(type, decoder) as? Value else {
          throw RecordedFormError(Value.self)
        }
        return value
      })
  }

  private static func decode<Form: Decodable>(_ type: Form.Type, _ decoder: any Decoder) throws -> Any {
    try decoder.singleValueContainer().decode(type)
  }

  /// The JSON of a value.
  ///
  /// Equal values have equal ones, unless a part of them is encoded in no order of its own, as sets are.
  func json(of value: Value) throws -> Data {
    try JSONEncoder.sorted.encode(encoded(value))
  }
}

/// Nothing, in a recording.
private struct Nothing: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

/// The parts of a tuple, by their labels, or their numbers from 0 where they have none.
private struct Parts: Encodable {
  private struct Label: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let parts: [(label: Label, value: any Encodable)]

  init(of tuple: Any) throws {
    let mirror = Mirror(reflecting: tuple)
    guard mirror.displayStyle == .tuple else { throw RecordedFormError(tuple) }
    parts = try mirror.children.map { label, value in
      guard let value = value as? any Encodable else { throw RecordedFormError(value) }
      let label = label ?? ""
      return (Label(stringValue: label.hasPrefix(".") ? String(label.dropFirst()) : label), value)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Label.self)
    for (label, value) in parts { try container.encode(value, forKey: label) }
  }
}

/// The reason for which a value cannot be recorded.
struct RecordedFormError: Error, CustomStringConvertible {
  let description: String

  init(_ value: Any) {
    let type = "\(type(of: value))"
    description = """
      \(type) is neither Codable nor a tuple of what is; make it Codable, or give a RecordedForm that records it as \
      something else
      """
  }
}

extension JSONEncoder {
  /// Equal values have equal texts.
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
