/// The one argument of a command that is no flag, such as the file it reads.
public struct Operand: Sendable, Equatable {
  /// The upper-case word that stands for it in the help text.
  public let placeholder: String

  /// A value that is right, for error messages.
  let example: String

  /// Declares the argument, which then has to be given once; read it with ``ParsedFlags/operand``.
  public init(_ placeholder: String, example: String) {
    self.placeholder = placeholder
    self.example = example
  }
}
