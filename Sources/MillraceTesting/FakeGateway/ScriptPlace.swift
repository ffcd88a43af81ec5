/// The line of a test, or of a fake, that something was written on.
@usableFromInline
struct ScriptPlace: Sendable {
  let file: StaticString
  let line: UInt

  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }
}
