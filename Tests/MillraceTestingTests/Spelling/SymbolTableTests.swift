#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  import Testing

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  @testable import MillraceTesting

  @Suite("SymbolTable")
  struct SymbolTableTests {
    @Test("It has the name of what stands at an offset, and each function of a type once")
    func itHasNames() throws {
      let file = Self.elf
      let found = try Self.look(in: file)
      #expect(found == Found(name: "$s1AMn", functions: ["$s1A2goF", "$s1A2goFZ"]))
    }

    @Test("Without the full table it takes the dynamic one")
    func itTakesTheDynamicTable() throws {
      var file = Self.elf
      file[Self.sections + 64 + 4] = 11
      #expect(try Self.look(in: file)?.name == "$s1AMn")
      file[Self.sections + 64 + 4] = 1
      #expect(try Self.look(in: file) == nil)
    }

    @Test("A file that is cut off anywhere has less in it, and does no harm")
    func aFileMayBeCutOff() throws {
      for length in 0..<Self.elf.count {
        let found = try Self.look(in: Array(Self.elf.prefix(length)))
        #expect(found == nil || found == Found(name: nil, functions: []))
      }
    }

    @Test("A file with any byte wrong does no harm", arguments: [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8])
    func aFileMayHaveWrongBytes(byte: UInt8) throws {
      var count = 0
      for index in Self.elf.indices {
        var file = Self.elf
        file[index] = byte
        if try Self.look(in: file) == Found(name: "$s1AMn", functions: ["$s1A2goF", "$s1A2goFZ"]) { count += 1 }
      }
      #expect(count > 0)
      #expect(count < Self.elf.count)
    }

    /// The contents of a file.
    private struct Found: Equatable {
      var name: String?
      var functions: Set<String>
    }

    /// Looks into a file with these bytes, or returns nil when it has no table.
    private static func look(in bytes: [UInt8]) throws -> Found? {
      let stream = try #require(tmpfile())
      defer { fclose(stream) }
      let descriptor = fileno(stream)
      try #require(write(descriptor, bytes, bytes.count) == bytes.count)
      guard let file = ByteFile(at: "/proc/self/fd/\(descriptor)"), let table = SymbolTable(of: file) else {
        return nil
      }
      return Found(name: table.name(at: 0x10, ending: "Mn"), functions: table.functions(beginning: "$s1A"))
    }

    /// The offset of the section headers.
    private static let sections = 120

    /// A small file: one segment, that is all of it, one table of two symbols at its byte 16, and their names.
    private static var elf: [UInt8] {
      let names = Array("\0other\0$s1AMn\0$s1A2goF\0$s1A2goFTu\0$s1A2goFZ\0$s1B2goF\0$s1A2goF\0".utf8)
      let symbols = sections + 3 * 64
      var bytes = [0x7F, 0x45, 0x4C, 0x46, 2, 1] + [UInt8](repeating: 0, count: symbols + 3 * 24 - 6)
      func put(_ number: Int, at offset: Int) {
        for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
      }
      for (offset, number) in [(32, 64), (40, sections), (54, 56), (56, 1), (58, 64), (60, 3)] {
        put(number, at: offset)
      }
      put(1, at: 64)
      put(0x1000, at: 64 + 16)
      put(bytes.count + names.count, at: 64 + 32)
      for (offset, number) in [(4, 2), (24, symbols), (32, 3 * 24), (40, 2)] { put(number, at: sections + 64 + offset) }
      for (offset, number) in [(4, 3), (24, bytes.count), (32, names.count)] {
        put(number, at: sections + 128 + offset)
      }
      put(1, at: symbols + 24)
      put(0x1010, at: symbols + 24 + 8)
      put(7, at: symbols + 48)
      put(0x1010, at: symbols + 48 + 8)
      return bytes + names
    }
  }
#endif
