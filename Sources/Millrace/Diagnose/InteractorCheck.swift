#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif
#endif

/// Reports the methods of an interactor that look like the protocol's and are not, once a type.
///
/// It does so in debug builds on Linux, and nothing elsewhere. It is no part of what clients compile, for their build and
/// this one may differ in that.
///
/// **Order and isolation.** It returns at once; the configuration's `report` is called later, by a task of its own.
@usableFromInline
func checkSpelling<I: Interactor>(of interactor: I.Type, configuration: StoreConfiguration) {
  #if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
    if configuration.isSpellingChecked { InteractorCheck.start(interactor, report: configuration.report) }
  #endif
}

#if DEBUG && os(Linux) && _pointerBitWidth(_64) && _endian(little)
  /// Looks at the methods of an interactor, which it finds by their names in the symbol table of the program.
  enum InteractorCheck {
    /// The declarations that were looked at; a generic interactor has one for all its types.
    private static let seen = Lock<Set<UInt>>([])

    /// Starts to look at an interactor, unless that was done before; then it returns nil.
    @discardableResult
    static func start<I: Interactor>(
      _ interactor: I.Type, report: @escaping @Sendable (Incident) -> Void
    ) -> Task<Void, Never>? {
      let declaration = declaration(of: interactor)
      guard seen.withLock({ $0.insert(declaration).inserted }) else { return nil }
      return Task.detached(priority: .utility) {
        for sentence in nearMisses(of: interactor) {
          report(Incident(.nearMiss, of: interactor, sentence))
        }
      }
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
