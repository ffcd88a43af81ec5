/// The error of a child's run that sends an action and has no way to make one of its parent of it.
@usableFromInline
struct MissingAction: Error, CustomStringConvertible {
  private let type: any Any.Type
  private let fix: String

  /// An action of this type was sent; `fix` says what to add, and where.
  @usableFromInline
  init(of type: any Any.Type, fix: String) {
    self.type = type
    self.fix = fix
  }

  /// The error for a place of a child that has no `function`.
  @usableFromInline
  init(of type: any Any.Type, scope: any Any.Type, _ function: String) {
    self.init(of: type, fix: "add `static func \(function)` to \(String(reflecting: scope)).")
  }

  /// The missing action as a sentence, with the fix.
  @usableFromInline var description: String {
    "The run of a child sent an action of type \(String(reflecting: type)), and nothing says which action of its parent "
      + "carries that; \(fix)"
  }
}
