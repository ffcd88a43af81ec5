import Foundation

/// The first line of a recording.
struct FakeRecordingHeader: Codable, Equatable {
  var format: String
  var version: Int

  /// The version of new recordings.
  static let current = FakeRecordingHeader(format: "millrace-fake-calls", version: 1)
}

/// The names in a line of a recording.
enum RecordedKey: String, CodingKey {
  case call, request, response, elements, at, element, failure, error, open
}

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
      let time = FakeLatency.bounded(seconds: try entry.decode(Double.self, forKey: .at))
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
