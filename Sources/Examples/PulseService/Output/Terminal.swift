#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The abilities of the terminal, by the environment and the kernel.
struct Terminal: Sendable {
  struct Size: Sendable, Equatable {
    var columns: Int
    var rows: Int
  }

  let isASCII: Bool
  let isColored: Bool
  /// Asks for the size, which changes when the user pulls at the window.
  let size: @Sendable () -> Size

  init(isASCII: Bool, isColored: Bool, size: @escaping @Sendable () -> Size) {
    self.isASCII = isASCII
    self.isColored = isColored
    self.size = size
  }

  /// The terminal behind a descriptor, or nil when there is none, or one whose cursor cannot be moved.
  init?(descriptor: Int32, environment: [String: String]) {
    guard isatty(descriptor) == 1, environment["TERM"] != "dumb" else { return nil }
    let columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    self.init(environment: environment) {
      let size = Self.size(of: descriptor)
      // Who sets COLUMNS may want less than there is, but more than there is would break lines.
      return Size(columns: min(columns ?? .max, size?.columns ?? columns ?? 80), rows: size?.rows ?? 24)
    }
  }

  /// A terminal of this size, with what the environment says about characters and colours.
  init(environment: [String: String], size: @escaping @Sendable () -> Size) {
    self.init(
      isASCII: !Self.isUTF8(environment), isColored: (environment["NO_COLOR"] ?? "").isEmpty, size: size)
  }

  /// The first of these variables that is not empty names the character set, as setlocale(3) has it.
  private static func isUTF8(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    let lowercased = locale.lowercased()
    return lowercased.contains("utf-8") || lowercased.contains("utf8")
  }

  private static func size(of descriptor: Int32) -> Size? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else { return nil }
    return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }
}

/// A file descriptor: a terminal, a pipe or a file.
///
/// The process has to ignore `SIGPIPE`.
struct DescriptorOutput: TextOutput {
  let descriptor: Int32

  static let standard = DescriptorOutput(descriptor: STDOUT_FILENO)

  /// Written on a thread of its own: a reader that has stopped reading holds up a pipe for as long as it likes.
  func write(_ text: String) async throws {
    let descriptor = descriptor
    try await blockingCall { try Self.write(Array(text.utf8), to: descriptor) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: throw .closed
      default: throw .failed(String(cString: strerror(errno)))
      }
    }
  }

  /// A descriptor may be shared with a process that has made it non-blocking.
  private static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

/// write(2), whose name is that of a method above.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// The output of the service.
protocol TextOutput: Sendable {
  /// Writes the text out, past all buffers.
  ///
  /// Returns soon after its task was cancelled, with the text written in part.
  ///
  /// - Throws: ``OutputError``, when there is no use in writing more; `CancellationError`.
  func write(_ text: String) async throws
}

/// The reason for which nothing more can be written.
enum OutputError: Error, Equatable {
  /// The output was closed, as `head` does when it has seen enough.
  case closed
  /// The system refuses for this reason.
  case failed(String)
}

/// Text that is safe to put on a line of a terminal or a log, and how many columns it takes there.
enum Printable {
  /// The text with each control character replaced, and with each one beyond ASCII when the reader knows only that.
  static func text(_ text: String, isASCII: Bool) -> String {
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
      printable.append(isControl || (isASCII && !scalar.isASCII) ? "?" : scalar)
    }
    return String(printable)
  }

  /// The columns that the text takes: two for the wide characters of East Asia and for emoji.
  static func columns(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + columns($1) }
  }

  static func columns(_ character: Character) -> Int {
    let scalar = character.unicodeScalars.first!
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
    }
  }
}
