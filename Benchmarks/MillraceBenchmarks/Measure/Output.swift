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
