/// The name of a log in a journal; each store has a log of its own.
///
/// Two keys are equal if their names have the same UTF-8, so `é` as one scalar and as two are different keys.
public struct JournalKey: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name, of any length and with any characters.
  public let name: String

  /// Makes the key of this name.
  public init(_ name: String) {
    self.name = name
  }

  /// Makes the key of this name.
  public init(stringLiteral name: String) {
    self.init(name)
  }

  /// The name.
  public var description: String { name }
}

extension JournalKey: Hashable, Comparable {
  /// Whether both names have the same UTF-8.
  public static func == (left: JournalKey, right: JournalKey) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  /// Hashes the UTF-8 of the name.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(byte) }
    hasher.combine(0xFF as UInt8)
  }

  /// Orders keys by the UTF-8 of their names.
  public static func < (left: JournalKey, right: JournalKey) -> Bool {
    left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}
