#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  import Testing

  @testable import MillraceTesting

  @Suite("Mapping")
  struct MappingTests {
    private static let maps = """
      1000-2000 r--p 00000000 fd:01 42                 /opt/a program
      2000-4000 r-xp 00001000 fd:01 42                 /opt/a program
      5000-6000 rw-p 00000000 00:00 0                  [heap]
      6000-7000 rw-p 00000000 00:00 0
      7000-8000 rw-p ffffffffffffffff 00:00 7          /opt/odd
      nonsense
      9000 r--p 0 0 7 x
      z000-a000 r--p zz 0 zz x
      """

    @Test(
      "An address is found in the file it was loaded from",
      arguments: [(0x1000, 0), (0x1FFF, 0xFFF), (0x2000, 0x1000), (0x3FFF, 0x2FFF)] as [(UInt, UInt64)])
    func anAddressIsFound(address: UInt, offset: UInt64) throws {
      let mapping = try #require(Mapping(of: address, in: Self.maps))
      #expect(mapping.path == "/opt/a program")
      #expect(mapping.offset == offset)
    }

    @Test(
      "An address that was loaded from no file is not", arguments: [0, 0xFFF, 0x4000, 0x5500, 0x6500, 0x7001, 0x9000])
    func anAddressOfNoFileIsNotFound(address: UInt) {
      #expect(Mapping(of: address, in: Self.maps) == nil)
    }

    @Test("A symbol of this program is found in its file")
    func thisProgramIsFound() throws {
      let metadata = unsafeBitCast(MappingTests.self as Any.Type, to: UnsafePointer<UInt>.self)
      let mapping = try #require(Mapping(of: metadata[1]))
      let program = ByteFile(at: "/proc/self/exe")?.bytes(at: mapping.offset, count: 64)
      let found = mapping.open()?.bytes(at: mapping.offset, count: 64)
      #expect(found != nil)
      #expect(found == program)
    }

    @Test("A file that is gone is not opened")
    func aFileThatIsGoneIsNotOpened() throws {
      let mapping = try #require(Mapping(of: 0x1000, in: "1000-2000 r--p 0 fd:01 42 /nowhere/a program (deleted)"))
      let isOpen = mapping.open() != nil
      #expect(!isOpen)
    }
  }
#endif
