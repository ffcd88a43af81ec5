#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// A file that is open for reading at any offset.
  struct ByteFile: ~Copyable {
    private let descriptor: Int32

    /// The number of bytes.
    private let size: UInt64

    init?(at path: String) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      var status = stat()
      guard fstat(descriptor, &status) == 0, let size = UInt64(exactly: status.st_size) else {
        close(descriptor)
        return nil
      }
      self.descriptor = descriptor
      self.size = size
    }

    deinit {
      close(descriptor)
    }

    /// The `count` bytes at `offset` and `more`, or nil when the file does not hold them all.
    func bytes(at offset: UInt64?, plus more: UInt64 = 0, count: Int) -> [UInt8]? {
      guard let start = start(offset, more, count) else { return nil }
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count), start)
      }
      return bytes.count == count ? bytes : nil
    }

    /// The same by words of eight bytes.
    func words(at offset: UInt64, plus more: UInt64, count: Int) -> [UInt64]? {
      guard let start = start(offset, more, count * 8) else { return nil }
      let words = [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
        filled = fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count * 8), start) / 8
      }
      return words.count == count ? words : nil
    }

    /// The position to read from, or nil if the file is too short.
    private func start(_ offset: UInt64?, _ more: UInt64, _ count: Int) -> off_t? {
      guard let offset, let count = UInt64(exactly: count), count <= size else { return nil }
      let (start, overflow) = offset.addingReportingOverflow(more)
      guard !overflow, start <= size - count else { return nil }
      return off_t(exactly: start)
    }

    /// Reads until the buffer is full or the file ends, and returns how many bytes were read.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ start: off_t) -> Int {
      guard let base = buffer.baseAddress else { return 0 }
      var filled = 0
      while filled < buffer.count {
        let count = pread(descriptor, base + filled, buffer.count - filled, start + off_t(filled))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        filled += count
      }
      return filled
    }
  }

  extension [UInt8] {
    /// The number of `size` bytes at `offset`, the lowest first, or nil when they are not there.
    func integer(at offset: Int, size: Int) -> UInt64? {
      guard offset >= 0, offset + size <= count else { return nil }
      return self[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
#endif
