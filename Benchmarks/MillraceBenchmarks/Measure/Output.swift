#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Writes a line to standard output at once, into a pipe or a file too.
func line(_ text: String) {
  print(text)
  fflush(nil)
}

/// Writes a line to standard error: what is going on, apart from the results.
func note(_ text: String) {
  var text = text
  text += "\n"
  text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
