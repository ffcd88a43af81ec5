/// Writes numbers, the lowest byte first, and bytes with their count.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func add(_ added: [UInt8]) {
    add(UInt64(added.count))
    bytes += added
  }

  mutating func add(_ text: String) {
    add(Array(text.utf8))
  }

  mutating func add(_ entry: JournalEntry) {
    add(UInt64(entry.kind.rawValue))
    add(UInt64(bitPattern: Int64(entry.schemaVersion)))
    add(UInt64(bitPattern: Int64(entry.revision ?? -1)))
    add(entry.payload)
  }
}

/// Reads the bytes of a `ByteWriter`; each method answers nil where they end too early or have no such value.
struct ByteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Whether this many bytes are left.
  func isAt(_ count: Int) -> Bool { rest.count == count }

  mutating func number() -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { rest = rest.dropFirst(8) }
    return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func bytes() -> [UInt8]? {
    guard let count = number(), count <= UInt64(rest.count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  mutating func text() -> String? {
    bytes().flatMap { String(validating: $0, as: UTF8.self) }
  }

  mutating func entry() -> JournalEntry? {
    guard let kind = number().flatMap(UInt8.init(exactly:)), let version = number(), let revision = number(),
      let payload = bytes()
    else { return nil }
    let signed = Int(Int64(bitPattern: revision))
    return JournalEntry(
      kind: JournalEntry.Kind(rawValue: kind), payload: payload, schemaVersion: Int(Int64(bitPattern: version)),
      revision: signed == -1 ? nil : signed)
  }
}
