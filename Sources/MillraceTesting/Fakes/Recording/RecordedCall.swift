import Foundation

/// The calls of one fake in a recording.
struct RecordedForms<Request: Sendable, Value: Sendable>: Sendable {
  let request: RecordedForm<Request>
  /// The form of the response, or of each element.
  let value: RecordedForm<Value>
  let errors: RecordedErrors
}

/// The errors that are recorded as what they are, and not as their descriptions alone.
struct RecordedErrors: Sendable {
  let encoded: @Sendable (any Error) -> (any Encodable)?
  let decoded: @Sendable (any Decoder) throws -> (any Error)?

  init<Failure: Error & Codable>(_ type: Failure.Type) {
    encoded = { $0 as? Failure }
    // Nothing can be decoded as Never, and nothing was asked for.
    decoded = { type == Never.self ? nil : try $0.singleValueContainer().decode(type) }
  }
}

/// The end of a gateway's call or stream.
enum RecordedEnd: Sendable {
  case success
  case failure(any Error)
  /// The consumer of the stream went away before its end, or the recording ended.
  case open
}

/// One call of a recording: a line of its file.
struct RecordedCall<Request: Sendable, Value: Sendable>: Sendable {
  /// One element of a stream.
  struct Element: Sendable {
    /// The time since the call.
    let time: Duration
    let value: Value
  }

  /// The response of the call.
  enum Answer: Sendable {
    case response(Value)
    case failure(any Error)
    case stream([Element], RecordedEnd)
  }

  let call: String
  /// Nil where requests cannot be made of what was recorded, and have to be compared as they stand there.
  let request: Request?
  let answer: Answer
}

extension RecordedCall: EncodableWithConfiguration {
  func encode(to encoder: any Encoder, configuration forms: RecordedForms<Request, Value>) throws {
    var line = encoder.container(keyedBy: RecordedKey.self)
    try line.encode(call, forKey: .call)
    if let request { try line.encode(forms.request.encoded(request), forKey: .request) }
    switch answer {
    case .response(let response):
      try line.encode(forms.value.encoded(response), forKey: .response)
    case .failure(let error):
      try encode(error, to: &line, forms)
    case .stream(let elements, let end):
      var list = line.nestedUnkeyedContainer(forKey: .elements)
      for element in elements {
        var entry = list.nestedContainer(keyedBy: RecordedKey.self)
        try entry.encode(element.time / .seconds(1), forKey: .at)
        try entry.encode(forms.value.encoded(element.value), forKey: .element)
      }
      switch end {
      case .success: break
      case .failure(let error): try encode(error, to: &line, forms)
      case .open: try line.encode(true, forKey: .open)
      }
    }
  }

  private func encode(
    _ error: any Error, to line: inout KeyedEncodingContainer<RecordedKey>, _ forms: RecordedForms<Request, Value>
  ) throws {
    try line.encode("\(error)", forKey: .failure)
    if let error = forms.errors.encoded(error) { try line.encode(error, forKey: .error) }
  }
}

extension RecordedCall: DecodableWithConfiguration {
  init(from decoder: any Decoder, configuration forms: RecordedForms<Request, Value>) throws {
    let line = try decoder.container(keyedBy: RecordedKey.self)
    call = try line.decode(String.self, forKey: .call)
    request = try forms.request.decoded.map { try $0(line.superDecoder(forKey: .request)) }
    let failure = try Self.failure(in: line, forms)
    if line.contains(.elements) {
      let isOpen = try line.decodeIfPresent(Bool.self, forKey: .open) ?? false
      answer = .stream(
        try Self.elements(in: line, forms), failure.map { .failure($0) } ?? (isOpen ? .open : .success))
    } else if let failure {
      answer = .failure(failure)
    } else {
      answer = .response(try Self.value(in: line, forKey: .response, forms))
    }
  }

  private static func failure(
    in line: KeyedDecodingContainer<RecordedKey>, _ forms: RecordedForms<Request, Value>
  ) throws -> (any Error)? {
    guard let text = try line.decodeIfPresent(String.self, forKey: .failure) else { return nil }
    if line.contains(.error), let error = try forms.errors.decoded(line.superDecoder(forKey: .error)) { return error }
    return FakeGatewayError(.recordedFailure, text)
  }

  private static func elements(
    in line: KeyedDecodingContainer<RecordedKey>, _ forms: RecordedForms<Request, Value>
  ) throws -> [Element] {
    var list = try line.nestedUnkeyedContainer(forKey: .elements)
    var elements: [Element] = []
    while !list.isAtEnd {
      let entry = try list.nestedContainer(keyedBy: RecordedKey.self)
      let time = FakeFaults.Latency.bounded(seconds: try entry.decode(Double.self, forKey: .at))
      elements.append(Element(time: time, value: try value(in: entry, forKey: .element, forms)))
    }
    return elements
  }

  /// A value that has to be there; as null, if it is nothing.
  private static func value(
    in container: KeyedDecodingContainer<RecordedKey>, forKey key: RecordedKey, _ forms: RecordedForms<Request, Value>
  ) throws -> Value {
    guard container.contains(key), let decoded = forms.value.decoded else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: container.codingPath, debugDescription: "It is not there."))
    }
    return try decoded(container.superDecoder(forKey: key))
  }
}

/// The recorded form of a request, a response or an element.
///
/// By default a `Codable` value is recorded as it is encoded, nothing (`Void`) as null, and several arguments, which are a
/// tuple, as an object with their labels. Any other value is recorded as another type that is `Codable`:
///
/// ```swift
/// gateway.loads.record(in: recorder, response: RecordedForm({ $0.url.path }, back: { File(path: $0) })) { … }
/// ```
public struct RecordedForm<Value: Sendable>: Sendable {
  /// Defines what is encoded in place of a value.
  let encoded: @Sendable (Value) throws -> any Encodable
  /// Rebuilds a value; nil where that cannot be done, as of a tuple.
  let decoded: (@Sendable (any Decoder) throws -> Value)?

  /// Records values as another type.
  ///
  /// Both closures may be called from any thread, and with the fake locked: they must not use it.
  ///
  /// - Parameters:
  ///   - form: returns the recorded form of a value. For a request, it has to be encoded the same for equal requests: give a set, and a
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

  /// As the type of the value has it: `Codable`, nothing, or a tuple of encodable values.
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
