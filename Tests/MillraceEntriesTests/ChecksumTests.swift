import MillraceEntries
import Testing

@Suite("Checksum")
struct ChecksumTests {
  private func checksum(_ text: String) -> UInt64 {
    var checksum = Checksum()
    Array(text.utf8).withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }

  @Test("The values are those that the authors of FNV-1a publish")
  func knownValues() {
    #expect(checksum("") == 0xCBF2_9CE4_8422_2325)
    #expect(checksum("a") == 0xAF63_DC4C_8601_EC8C)
    #expect(checksum("foobar") == 0x8594_4171_F739_67E8)
  }

  @Test("A checksum that is continued has the value of all bytes together")
  func continued() {
    var first = Checksum()
    Array("foo".utf8).withUnsafeBytes { first.add($0) }
    var second = Checksum(continuing: first.value)
    Array("bar".utf8).withUnsafeBytes { second.add($0) }
    #expect(second.value == checksum("foobar"))
  }

  @Test("A number is added as its eight bytes, the lowest first")
  func numbers() {
    var number = Checksum()
    number.add(0x0807_0605_0403_0201)
    var bytes = Checksum()
    [UInt8](1...8).withUnsafeBytes { bytes.add($0) }
    #expect(number == bytes)
  }
}
