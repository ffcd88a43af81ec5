#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes an incident as one line to standard error.
@Sendable
func writeToStandardError(_ incident: Incident) {
  writeToStandardError(line: incident.description)
}

/// Writes a text as one line to standard error.
package func writeToStandardError(line text: String) {
  var line = "Millrace: \(text.split(whereSeparator: \.isNewline).joined(separator: " "))\n"
  line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
