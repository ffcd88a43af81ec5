#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The abilities of the terminal, by the environment and the kernel.
package struct Terminal: Sendable {
  package struct Size: Sendable, Equatable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
  }

  package let isASCII: Bool
  package let isColored: Bool
  /// Asks for the size, which changes when the user pulls at the window.
  package let size: @Sendable () -> Size

  package init(isASCII: Bool, isColored: Bool, size: @escaping @Sendable () -> Size) {
    self.isASCII = isASCII
    self.isColored = isColored
    self.size = size
  }

  /// The terminal behind a descriptor, or nil when there is none, or one whose cursor cannot be moved.
  package init?(descriptor: Int32, environment: [String: String]) {
    guard isatty(descriptor) == 1, environment["TERM"] != "dumb" else { return nil }
    let columns = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    self.init(environment: environment) {
      let size = Self.size(of: descriptor)
      // Who sets COLUMNS may want less than there is, but more than there is would break lines.
      return Size(columns: min(columns ?? .max, size?.columns ?? columns ?? 80), rows: size?.rows ?? 24)
    }
  }

  /// A terminal of this size, with what the environment says about characters and colours.
  package init(environment: [String: String], size: @escaping @Sendable () -> Size) {
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
