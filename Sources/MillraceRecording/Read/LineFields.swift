import Foundation

/// The fields of a JSON object, found without making values of them.
///
/// A text that a recorder does not write is left to the decoder: half of a surrogate pair, a number of many digits, a value that lies
/// very deep, and text that is no JSON.
struct LineFields {
  private let bytes: UnsafeRawBufferPointer
  private var fields: [(key: Range<Int>, value: Range<Int>)] = []
  private var position = 0
  private var isASCII = true

  /// The deepest value that is looked into.
  private static let depth = 128

  /// The longest number: any number of this length with an exponent of two digits has a value.
  private static let longestNumber = 32

  /// Finds the fields of an object; nil where the text is no object, or is left to the decoder.
  ///
  /// - Parameter bytes: the text, which has to outlive the value.
  init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    fields.reserveCapacity(8)
    skipBlanks()
    guard skipObject(0, notes: true) else { return nil }
    skipBlanks()
    guard position == bytes.count else { return nil }
    guard isASCII || String(validating: bytes, as: UTF8.self) != nil else { return nil }
  }

  /// The range of a field's value; nil if there is none, or if the key is there more than once.
  subscript(_ key: StaticString) -> Range<Int>? {
    var found: Range<Int>?
    for field in fields where field.key.count == key.utf8CodeUnitCount {
      guard memcmp(bytes.baseAddress! + field.key.lowerBound, key.utf8Start, field.key.count) == 0 else { continue }
      if found != nil { return nil }
      found = field.value
    }
    return found
  }

  /// Whether there is a field with the key.
  func has(_ key: StaticString) -> Bool {
    fields.contains { field in
      field.key.count == key.utf8CodeUnitCount
        && memcmp(bytes.baseAddress! + field.key.lowerBound, key.utf8Start, field.key.count) == 0
    }
  }

  /// A whole number; nil where the value is another one, or has more than 18 digits.
  func integer(_ key: StaticString) -> Int64? {
    guard let range = self[key] else { return nil }
    let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
    let digits = bytes[(range.lowerBound + (isNegative ? 1 : 0))..<range.upperBound]
    guard digits.count <= 18 else { return nil }
    var number: Int64 = 0
    for byte in digits {
      guard Self.isDigit(byte) else { return nil }
      number = number * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    return isNegative ? -number : number
  }

  /// True or false; nil where the value is another one.
  func bool(_ key: StaticString) -> Bool? {
    guard let range = self[key] else { return nil }
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "t"): return true
    case UInt8(ascii: "f"): return false
    default: return nil
    }
  }

  /// A text; nil where the value is another one.
  func string(_ key: StaticString) -> String? {
    guard let range = self[key], bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
    let text = UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound + 1..<range.upperBound - 1])
    return text.contains(UInt8(ascii: "\\")) ? Self.unescaped(text) : String(decoding: text, as: UTF8.self)
  }

  private static func unescaped(_ text: UnsafeRawBufferPointer) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        continue
      }
      let escape = text[index]
      index += 1
      switch escape {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "u"):
        let digits = String(decoding: text[index..<index + 4], as: UTF8.self)
        // The scanner has checked the digits, and that they are no surrogate.
        result += String(UInt16(digits, radix: 16).flatMap(Unicode.Scalar.init).map(Character.init) ?? " ").utf8
        index += 4
      default: result.append(escape)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

// MARK: - The grammar of JSON

extension LineFields {
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func skipBlanks() {
    while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipValue(_ depth: Int) -> Bool {
    guard position < bytes.count, depth < Self.depth else { return false }
    switch bytes[position] {
    case UInt8(ascii: "\""): return skipString()
    case UInt8(ascii: "{"): return skipObject(depth, notes: false)
    case UInt8(ascii: "["): return skipArray(depth)
    case UInt8(ascii: "t"): return skipWord("true")
    case UInt8(ascii: "f"): return skipWord("false")
    case UInt8(ascii: "n"): return skipWord("null")
    default: return skipNumber()
    }
  }

  private mutating func skipObject(_ depth: Int, notes: Bool) -> Bool {
    guard skip(UInt8(ascii: "{")) else { return false }
    skipBlanks()
    if skip(UInt8(ascii: "}")) { return true }
    while true {
      skipBlanks()
      let key = position + 1
      guard skipString() else { return false }
      let keyEnd = position - 1
      skipBlanks()
      guard skip(UInt8(ascii: ":")) else { return false }
      skipBlanks()
      let value = position
      guard skipValue(depth + 1) else { return false }
      if notes { fields.append((key..<keyEnd, value..<position)) }
      skipBlanks()
      if skip(UInt8(ascii: "}")) { return true }
      guard skip(UInt8(ascii: ",")) else { return false }
    }
  }

  private mutating func skipArray(_ depth: Int) -> Bool {
    position += 1
    skipBlanks()
    if skip(UInt8(ascii: "]")) { return true }
    while true {
      skipBlanks()
      guard skipValue(depth + 1) else { return false }
      skipBlanks()
      if skip(UInt8(ascii: "]")) { return true }
      guard skip(UInt8(ascii: ",")) else { return false }
    }
  }

  private mutating func skipWord(_ word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard bytes.count - position >= count, memcmp(bytes.baseAddress! + position, word.utf8Start, count) == 0 else {
      return false
    }
    position += count
    return true
  }

  private mutating func skipString() -> Bool {
    guard skip(UInt8(ascii: "\"")) else { return false }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard skipEscape() else { return false }
      case 0x80...: isASCII = false
      case ..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func skipEscape() -> Bool {
    guard position < bytes.count else { return false }
    let escape = bytes[position]
    position += 1
    guard escape == UInt8(ascii: "u") else { return Array("\"\\/bfnrt".utf8).contains(escape) }
    guard bytes.count - position >= 4 else { return false }
    let digits = bytes[position..<position + 4]
    position += 4
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return false }
    // D8 to DF begin the halves of surrogate pairs.
    let isD = digits.first == UInt8(ascii: "d") || digits.first == UInt8(ascii: "D")
    return !isD || (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digits[digits.startIndex + 1])
  }

  private mutating func skipNumber() -> Bool {
    let start = position
    _ = skip(UInt8(ascii: "-"))
    let isZero = skip(UInt8(ascii: "0"))
    let digits = skipDigits()
    // A zero stands alone.
    guard isZero != (digits > 0) else { return false }
    if skip(UInt8(ascii: ".")), skipDigits() == 0 { return false }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
      guard (1...2).contains(skipDigits()) else { return false }
    }
    return position - start <= Self.longestNumber
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
    return position - start
  }
}
