import Millrace
import MillraceEntries

/// The name of a log in a journal; each store has a log of its own.
///
/// A key is that of a single store, or one of many: the name of all of them then is a part of it. Two keys are equal if their names
/// have the same UTF-8, so `é` as one scalar and as two are different keys.
public struct JournalKey: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name, of any length and with any characters.
  public let name: String

  /// The name of the many stores of which the key is one; nil for a single store.
  public let stores: String?

  /// Creates the key of a single store.
  public init(_ name: String) {
    self.init(name, of: nil)
  }

  /// Creates the key of one of many stores.
  ///
  /// - Parameters:
  ///   - name: The name of the one.
  ///   - stores: The name of all; nil for a single store.
  public init(_ name: String, of stores: String?) {
    self.name = name
    self.stores = stores
  }

  /// Creates the key of a single store.
  public init(stringLiteral name: String) {
    self.init(name)
  }

  /// The name, behind the name of the many stores if it is one of them.
  public var description: String { stores.map { "\($0)/\(name)" } ?? name }

  /// A hash of the key, which says no name: what a journal keeps of an erased one.
  public var digest: JournalKeyDigest {
    let stores = stores.map { Array($0.utf8) } ?? []
    // The count tells where the first name ends.
    let text = "\(self.stores == nil ? 0 : 1) \(stores.count) "
    return JournalKeyDigest(SHA256.hexadecimal(of: Array(text.utf8) + stores + Array(name.utf8)))
  }

  /// The names of the log in keys for gateways, which no other log of the journal has.
  var names: String { RunKey.names(stores.map { [$0, name] } ?? [name]) }

  /// The name in quotes, shortened, for a sentence.
  package var quoted: String {
    let quoted = "\"\(name.shortened(to: 200))\""
    return stores.map { "\(quoted) of \"\($0.shortened(to: 200))\"" } ?? quoted
  }
}

extension JournalKey: Hashable, Comparable {
  /// Whether both have names with the same UTF-8.
  public static func == (left: JournalKey, right: JournalKey) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && hasSameStores(left, right)
  }

  /// Hashes the UTF-8 of the names.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
    if let stores {
      for byte in stores.utf8 { hasher.combine(byte) }
      hasher.combine(0xFE as UInt8)
    }
  }

  /// Orders keys by the UTF-8 of their names: those of single stores, then those of many by the names of these.
  public static func < (left: JournalKey, right: JournalKey) -> Bool {
    if hasSameStores(left, right) { return left.name.utf8.lexicographicallyPrecedes(right.name.utf8) }
    guard let stores = left.stores else { return true }
    return right.stores.map { stores.utf8.lexicographicallyPrecedes($0.utf8) } ?? false
  }

  private static func hasSameStores(_ left: JournalKey, _ right: JournalKey) -> Bool {
    switch (left.stores, right.stores) {
    case (nil, nil): true
    case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
    default: false
    }
  }
}

/// A hash of a key, by SHA-256, in 64 hexadecimal digits.
///
/// A reader that knows a key can tell whether the hash is of that one, and cannot read a name from it.
public struct JournalKeyDigest: Sendable, Hashable, CustomStringConvertible {
  /// The digits.
  public let description: String

  /// Creates the hash with these digits, as an engine does.
  public init(_ digits: String) {
    description = digits
  }
}
