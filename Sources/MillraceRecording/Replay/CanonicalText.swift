import Foundation

/// A value as it is encoded, with an order for what has none: the elements of sets, and the pairs of dictionaries.
///
/// They are encoded in an order that differs from process to process. JSON does not tell them from arrays, whose order counts,
/// so that the types have to be looked at while the value is encoded.
struct CanonicalText: Equatable {
  let text: String

  /// The text of a value.
  ///
  /// - Throws: what the value throws when it is encoded.
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
