#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// The position in a file from which a byte of the program was loaded.
  struct Mapping: Equatable {
    /// The file; " (deleted)" stands behind it when another one may have its name by now.
    let path: String

    /// The offset of the byte in the file.
    let offset: UInt64

    /// Looks an address up in the text of `/proc/self/maps`, or returns nil when it was not loaded from a file.
    init?(of address: UInt, in maps: String) {
      for line in maps.split(separator: "\n") {
        // From-to, permissions, offset, device, inode, path. Inodes are no help: layered file systems have two of them.
        let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count == 6 else { continue }
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] <= address, address < bounds[1] else { continue }
        let path = fields[5].drop { $0 == " " }
        guard let start = UInt64(fields[2], radix: 16), path.hasPrefix("/") else { return nil }
        let (offset, overflow) = start.addingReportingOverflow(UInt64(address - bounds[0]))
        guard !overflow else { return nil }
        self.path = String(path)
        self.offset = offset
        return
      }
      return nil
    }

    /// Looks an address up in this process.
    init?(of address: UInt) {
      guard let maps = everything(at: "/proc/self/maps") else { return nil }
      self.init(of: address, in: maps)
    }

    /// The file, or nil when it cannot be read any more; the program itself can, even when its file was replaced.
    func open() -> ByteFile? {
      let program = "/proc/self/exe"
      return ByteFile(at: path == target(of: program) ? program : path)
    }
  }

  /// The target of a symbolic link.
  private func target(of link: String) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink(link, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// The text of a file that does not know its size.
  private func everything(at path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
#endif
