#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// The symbol table of one ELF file, read piece by piece, so that its size costs no memory.
  ///
  /// Every offset is checked. Where the file is not what it should be, nothing is found.
  struct SymbolTable: ~Copyable {
    private let file: ByteFile
    private let segments: [Segment]
    private let symbols: Section
    private let names: Section

    /// A part of the file that is loaded.
    private struct Segment {
      let offset: UInt64
      let address: UInt64
      let size: UInt64
    }

    /// A part of the file that has a meaning.
    private struct Section {
      let kind: UInt64
      let offset: UInt64
      let size: UInt64
      let link: UInt64
    }

    /// The full table of `file`, or the one for the dynamic linker when the full one is stripped.
    init?(of file: consuming ByteFile) {
      guard let header = file.bytes(at: 0, count: 64), header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
        header.integer(at: 54, size: 2) == 56, header.integer(at: 58, size: 2) == 64,
        let segmentCount = header.integer(at: 56, size: 2), let sectionCount = header.integer(at: 60, size: 2),
        let segmentBytes = file.bytes(at: header.integer(at: 32, size: 8), count: Int(segmentCount) * 56),
        let sectionBytes = file.bytes(at: header.integer(at: 40, size: 8), count: Int(sectionCount) * 64)
      else { return nil }
      var segments: [Segment] = []
      for start in stride(from: 0, to: segmentBytes.count, by: 56) where segmentBytes.integer(at: start, size: 4) == 1 {
        guard let offset = segmentBytes.integer(at: start + 8, size: 8),
          let address = segmentBytes.integer(at: start + 16, size: 8),
          let size = segmentBytes.integer(at: start + 32, size: 8)
        else { return nil }
        segments.append(Segment(offset: offset, address: address, size: size))
      }
      var sections: [Section] = []
      for start in stride(from: 0, to: sectionBytes.count, by: 64) {
        guard let kind = sectionBytes.integer(at: start + 4, size: 4),
          let offset = sectionBytes.integer(at: start + 24, size: 8),
          let size = sectionBytes.integer(at: start + 32, size: 8),
          let link = sectionBytes.integer(at: start + 40, size: 4)
        else { return nil }
        sections.append(Section(kind: kind, offset: offset, size: size, link: link))
      }
      let full: UInt64 = 2
      let dynamic: UInt64 = 11
      guard let symbols = sections.first(where: { $0.kind == full }) ?? sections.first(where: { $0.kind == dynamic }),
        symbols.link < UInt64(sections.count)
      else { return nil }
      self.segments = segments
      self.symbols = symbols
      names = sections[Int(symbols.link)]
      self.file = file
    }

    /// The name that ends with `ending` of what is loaded from `offset` of the file, or nil.
    func name(at offset: UInt64, ending: String) -> String? {
      guard let segment = segments.first(where: { offset >= $0.offset && offset - $0.offset < $0.size }) else {
        return nil
      }
      let address = segment.address &+ (offset - segment.offset)
      let entry: UInt64 = 24
      var position: UInt64 = 0
      while position < symbols.size {
        let count = min(symbols.size - position, entry * 4096)
        guard let words = file.words(at: symbols.offset, plus: position, count: Int(count / 8)) else { return nil }
        for index in stride(from: 1, to: words.count, by: 3) where words[index] == address {
          if let name = name(UInt32(truncatingIfNeeded: words[index - 1])), name.hasSuffix(ending) { return name }
        }
        position += count
      }
      return nil
    }

    /// The name at an offset into the names.
    private func name(_ start: UInt32) -> String? {
      let longest: UInt64 = 4096
      let start = UInt64(start)
      guard start < names.size,
        let bytes = file.bytes(at: names.offset, plus: start, count: Int(min(longest, names.size - start))),
        let end = bytes.firstIndex(of: 0)
      else { return nil }
      return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The names of the functions that begin with `prefix`, each once.
    ///
    /// It goes through the names rather than the symbols, whose order is another one.
    func functions(beginning prefix: String) -> Set<String> {
      let prefix = Array(prefix.utf8)
      var found: Set<String> = []
      var position: UInt64 = 0
      var cut: [UInt8] = []
      while position < names.size {
        let count = min(names.size - position, 1 << 18)
        guard let bytes = file.bytes(at: names.offset, plus: position, count: Int(count)) else { break }
        cut += bytes
        let used = cut.withUnsafeBytes { eachName(in: $0, beginning: prefix) { found.insert($0) } }
        cut.removeFirst(used)
        if cut.count > 1 << 20 { break }
        position += count
      }
      return found
    }

    /// Calls `body` with the functions among the whole names in `bytes`, and returns how many bytes those take.
    ///
    /// The loops are the C library's, for this is compiled without optimisation.
    private func eachName(
      in bytes: UnsafeRawBufferPointer, beginning prefix: [UInt8], body: (String) -> Void
    ) -> Int {
      guard let base = bytes.baseAddress else { return 0 }
      var start = 0
      while start < bytes.count, let end = memchr(base + start, 0, bytes.count - start) {
        let length = UnsafeRawPointer(end) - (base + start)
        if length > prefix.count, memcmp(base + start, prefix, prefix.count) == 0 {
          let name = bytes[start..<start + length]
          if name.last == UInt8(ascii: "F") || name.suffix(2).elementsEqual("FZ".utf8) {
            body(String(decoding: name, as: UTF8.self))
          }
        }
        start += length + 1
      }
      return start
    }
  }
#endif
