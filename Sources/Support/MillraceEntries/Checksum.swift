/// A checksum of bytes: FNV-1a of 64 bits, by Fowler, Noll and Vo.
///
/// Each step maps different values to different values, so a change of one byte always changes the checksum, whatever bytes follow it.
package struct Checksum: Sendable, Hashable {
  /// The checksum of all bytes that were added.
  package private(set) var value: UInt64

  /// Begins with no bytes.
  package init() {
    value = 0xCBF2_9CE4_8422_2325
  }

  /// Continues a checksum.
  package init(continuing value: UInt64) {
    self.value = value
  }

  /// Adds bytes.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var hash = value
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    value = hash
  }

  /// Adds the eight bytes of a number, the lowest first.
  package mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { add($0) }
  }
}
