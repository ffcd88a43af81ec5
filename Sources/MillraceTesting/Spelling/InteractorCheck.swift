public import Millrace

#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif
#endif

/// Fails the test for each method of an interactor that looks like one of the protocol's and is not.
///
/// ```swift
/// checkSpelling(of: Records.self)
/// ```
///
/// The compiler says nothing of such a method: it is an overload beside the default, and never called. A ``TestStore`` and
/// ``Given`` check their interactor by themselves; this is for one that a test makes a plain store of.
///
/// It finds methods by their names in the symbol table of the program. So it works in debug builds on Linux, and does nothing
/// elsewhere and in a program that was stripped of its symbols. A class that inherits is left alone.
///
/// **Cost.** The symbol table is read once for each type of interactor: 60 ms in a test program of 2,000 tests.
///
/// - Parameters:
///   - interactor: the type that is checked.
///   - file: where a failure is shown.
///   - line: where a failure is shown.
public func checkSpelling<I: Interactor>(of interactor: I.Type, file: StaticString = #filePath, line: UInt = #line) {
  #if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
    let sentences = InteractorCheck.sentences(of: interactor)
    if sentences.isEmpty { return }
    let reporter = FailureReporter()
    for sentence in sentences { reporter.fail(sentence, file: file, line: line) }
  #endif
}

#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  /// Looks at the methods of an interactor, which it finds by their names in the symbol table of the program.
  enum InteractorCheck {
    /// The sentences about the declarations that were looked at; a generic interactor has one for all its types.
    private static let known = Lock<[UInt: [String]]>([:])

    /// One sentence for each near miss of an interactor, which is looked for once.
    static func sentences<I: Interactor>(of interactor: I.Type) -> [String] {
      let declaration = declaration(of: interactor)
      if let sentences = known.withLock({ $0[declaration] }) { return sentences }
      let sentences = nearMisses(of: interactor)
      known.withLock { $0[declaration] = sentences }
      return sentences
    }

    /// One sentence for each method that looks like one of the protocol's and is not.
    ///
    /// A class that inherits is left alone, since what it lacks it may have from there.
    static func nearMisses<I: Interactor>(of interactor: I.Type) -> [String] {
      if let type = interactor as? AnyClass, _getSuperclass(type) != nil { return [] }
      let kind = (symbol: "Mn", text: "nominal type descriptor for ")
      guard let mapping = Mapping(of: declaration(of: interactor)), let file = mapping.open(),
        let table = SymbolTable(of: file), let symbol = table.name(at: mapping.offset, ending: kind.symbol),
        let text = demangled(symbol), text.hasPrefix(kind.text)
      else { return [] }
      let types = NearMisses.Types(
        interactor: String(text.dropFirst(kind.text.count)), isGeneric: spelling(of: interactor).contains("<"),
        action: spelling(of: I.Action.self), mutation: spelling(of: I.Mutation.self), state: spelling(of: I.State.self))
      let functions = table.functions(beginning: String(symbol.dropLast(kind.symbol.count)))
      return NearMisses(of: types, among: functions.compactMap(demangled)).sentences
    }

    /// The address of what the compiler wrote down about a type: its context descriptor.
    ///
    /// It is the second word of a struct's or an enum's metadata, and the sixth of a class's where there is no Objective-C.
    private static func declaration(of type: any Any.Type) -> UInt {
      let metadata = unsafeBitCast(type, to: UnsafePointer<UInt>.self)
      return metadata[type is AnyClass ? 5 : 1]
    }

    /// A type as the demangler spells it, which is how it does in the names of methods.
    private static func spelling(of type: any Any.Type) -> String {
      _mangledTypeName(type).flatMap { demangled("$s\($0)D") } ?? "$"
    }

    /// A symbol as a declaration, or nil when it is none of Swift's.
    private static func demangled(_ symbol: String) -> String? {
      var symbol = symbol
      return symbol.withUTF8 { bytes in
        guard let text = demangle(bytes.baseAddress, bytes.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
      }
    }
  }

  /// The demangler of the Swift runtime.
  ///
  /// It has no declaration in Swift before SE-0498; by its symbol it links against the shared runtime and the static one.
  @_silgen_name("swift_demangle")
  private func demangle(
    _ symbol: UnsafePointer<UInt8>?, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
  ) -> UnsafeMutablePointer<CChar>?
#endif
