import Foundation
import MillraceEntries

/// A value as it is encoded, with an order for what has none: the elements of sets, and the pairs of dictionaries.
///
/// They are encoded in an order that differs from process to process. JSON does not tell them from arrays, whose order counts,
/// so that the types have to be looked at while the value is encoded.
struct CanonicalText: Equatable {
  let text: String

  /// The text of a value.
  ///
  /// - Throws: the error of the encoder.
  init(_ value: some Encodable) throws {
    let part = Part()
    try part.take(value)
    text = part.text
  }

  /// A part of the value: what one container is encoded into.
  final class Part {
    private enum Order {
      case asEncoded, elements, pairs
    }

    private var order = Order.asEncoded
    private var leaf: String?
    private var fields: [String: Part] = [:]
    private(set) var list: [Part]?

    func take(_ value: some Encodable) throws {
      switch value {
      case is any CanonicalLeaf: leaf = String(reflecting: value)
      // What JSON writes in a way of its own.
      case let data as Data: leaf = data.base64EncodedString().debugDescription
      case let url as URL: leaf = url.absoluteString.debugDescription
      case let number as Decimal: leaf = number.description
      default:
        if value is any WithoutOrder { order = .elements }
        if value is any WithPairs { order = .pairs }
        try value.encode(to: CanonicalEncoder(part: self))
      }
    }

    func takeNil() { leaf = "null" }

    /// The part of a name, made when it is asked for.
    func field(_ name: String) -> Part {
      if let part = fields[name] { return part }
      let part = Part()
      fields[name] = part
      return part
    }

    func beginList() {
      if list == nil { list = [] }
    }

    /// One more part of a list.
    func element() -> Part {
      let part = Part()
      list?.append(part)
      return part
    }

    var text: String {
      if let leaf { return leaf }
      guard let list else {
        let texts = fields.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription):\($0.value.text)" }
        return "{\(texts.joined(separator: ","))}"
      }
      let texts = list.map(\.text)
      return switch order {
      case .asEncoded: "[\(texts.joined(separator: ","))]"
      case .elements: "[\(texts.sorted().joined(separator: ","))]"
      case .pairs: "[\(CanonicalText.pairs(texts).sorted().joined(separator: ","))]"
      }
    }
  }

  /// Keys and values, which follow each other, two by two.
  private static func pairs(_ texts: [String]) -> [String] {
    stride(from: 0, to: texts.count, by: 2).map { texts[$0..<min($0 + 2, texts.count)].joined(separator: ":") }
  }
}

/// A collection that is encoded in an order of its own.
private protocol WithoutOrder {}
extension Set: WithoutOrder {}

/// A dictionary that is encoded as alternating keys and values, because the keys are neither strings nor integers.
private protocol WithPairs {}
extension Dictionary: WithPairs {}

/// A value that is encoded as itself.
private protocol CanonicalLeaf {}
extension Bool: CanonicalLeaf {}
extension String: CanonicalLeaf {}
extension Double: CanonicalLeaf {}
extension Float: CanonicalLeaf {}
extension Int: CanonicalLeaf {}
extension Int8: CanonicalLeaf {}
extension Int16: CanonicalLeaf {}
extension Int32: CanonicalLeaf {}
extension Int64: CanonicalLeaf {}
extension Int128: CanonicalLeaf {}
extension UInt: CanonicalLeaf {}
extension UInt8: CanonicalLeaf {}
extension UInt16: CanonicalLeaf {}
extension UInt32: CanonicalLeaf {}
extension UInt64: CanonicalLeaf {}
extension UInt128: CanonicalLeaf {}

/// Passes the parts of a value to a ``CanonicalText``.
struct CanonicalEncoder: Encoder, SingleValueEncodingContainer {
  typealias Part = CanonicalText.Part

  let part: Part

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(part: part))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    part.beginList()
    return Unkeyed(part: part)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { part.takeNil() }

  func encode(_ value: some Encodable) throws { try part.take(value) }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let part: Part

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { part.field(key.stringValue).takeNil() }

    func encode(_ value: some Encodable, forKey key: Key) throws { try part.field(key.stringValue).take(value) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      CanonicalEncoder(part: part.field(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      CanonicalEncoder(part: part.field(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { CanonicalEncoder(part: part.field("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { CanonicalEncoder(part: part.field(key.stringValue)) }
  }

  private struct Unkeyed: UnkeyedEncodingContainer {
    let part: Part

    var codingPath: [any CodingKey] { [] }
    var count: Int { part.list?.count ?? 0 }

    func encodeNil() { part.element().takeNil() }

    func encode(_ value: some Encodable) throws { try part.element().take(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      CanonicalEncoder(part: part.element()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      CanonicalEncoder(part: part.element()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { CanonicalEncoder(part: part.element()) }
  }
}

/// A number that tells states apart, and is the same in every process and on every machine.
///
/// It is FNV-1a of 64 bits, by Fowler, Noll and Vo, over the state as JSON with sorted keys, as the file has it.
///
/// **Order.** Sets, and dictionaries whose keys are neither strings nor integers, are encoded in an order that differs between
/// processes. So equal hashes say that two states are the same, and where hashes differ a replay compares the encoded states:
/// the elements of arrays in their order, the elements of a `Set` and the pairs of a `Dictionary` in any. A type that encodes the elements
/// of a set itself, one by one, or hands its encoder on to the set, has to sort them, or to encode the set as a whole by a
/// `singleValueContainer()`.
public struct StateHash: Sendable, Hashable, LosslessStringConvertible {
  /// The hash as a number.
  public let value: UInt64

  /// The hash of a state.
  ///
  /// - Throws: the error of the encoder.
  public init(of state: some Encodable) throws {
    self.init(ofJSON: try JSON.encoder().encode(state))
  }

  /// Reads 16 hexadecimal digits.
  public init?(_ description: String) {
    guard description.utf8.count == 16, let value = UInt64(description, radix: 16) else { return nil }
    self.value = value
  }

  init(ofJSON json: Data) {
    var checksum = Checksum()
    json.withUnsafeBytes { checksum.add($0) }
    value = checksum.value
  }

  /// The hash as 16 hexadecimal digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
