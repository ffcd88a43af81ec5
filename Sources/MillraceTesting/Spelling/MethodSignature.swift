#if DEBUG
  /// One method of a type, as the runtime's demangler spells it.
  struct MethodSignature: Hashable {
    /// The name in front of the parentheses.
    let name: String

    /// The labels of the parameters; "_" where there is none.
    let labels: [String]

    /// The types of the parameters, without their ownership.
    let parameters: [String]

    /// The type of the result.
    let result: String

    /// Whether it is a method of the type itself.
    let isStatic: Bool

    let isAsync: Bool
    let isThrowing: Bool

    /// Whether it has type parameters of its own.
    let isGeneric: Bool

    /// Whether it stands in an extension with a `where` clause.
    let isConstrained: Bool

    /// The name with the labels: "closing(_:outcome:)".
    var fullName: String {
      "\(name)(\(labels.map { "\($0):" }.joined()))"
    }

    /// Takes `text` apart, or returns nil when it is anything else than a method of `type`.
    ///
    /// Methods of nested types, accessors, operators, closures and local functions are something else.
    init?(demangled text: String, of type: String) {
      var rest = withoutDiscriminators(text)[...]
      isStatic = rest.removePrefix("static ")
      rest = withoutExtensions(rest)
      // A type inside a function stands behind the method, every other one before it.
      if rest.hasSuffix(" in \(type)") {
        rest.removeLast(type.count + 4)
        isConstrained = false
      } else {
        guard rest.removePrefix(type) else { return nil }
        isConstrained = rest.removeBrackets(from: "<") != nil
        guard rest.removePrefix(".") else { return nil }
      }
      let name = rest.identifier
      rest = rest[name.endIndex...]
      isGeneric = rest.removeBrackets(from: "<") != nil
      guard !name.isEmpty, let list = rest.removeBrackets(from: "("), let arrow = rest.beginning(of: " -> ") else {
        return nil
      }
      let effects = rest[..<arrow.lowerBound]
      self.name = String(name)
      isAsync = effects.beginning(of: " async") != nil
      isThrowing = effects.beginning(of: " throws") != nil
      result = String(rest[arrow.upperBound...])
      let pieces = list.pieces.map { piece in
        let label = piece.identifier
        var type = piece[label.endIndex...]
        guard !label.isEmpty, type.removePrefix(": ") else { return (label: "_", type: withoutOwnership(piece)) }
        return (label: String(label), type: withoutOwnership(type))
      }
      labels = pieces.map(\.label)
      parameters = pieces.map(\.type)
    }
  }

  /// The text without what tells private declarations of different files apart: "(name in _0123…)" becomes "name".
  func withoutDiscriminators(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let mark = Array(" in _".utf8)
    let length = 32
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let end = index + mark.count + length
      if end < bytes.count, bytes[end] == UInt8(ascii: ")"), bytes[index...].starts(with: mark),
        let start = kept.lastIndex(of: UInt8(ascii: "("))
      {
        kept.remove(at: start)
        index = end + 1
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// The text without what says in which module's extensions it stands: "(extension in Notes):".
  func withoutExtensions(_ text: Substring) -> Substring {
    var text = text
    while text.hasPrefix("(extension in "), let colon = text.firstIndex(of: ":") {
      text = text[text.index(after: colon)...]
    }
    return text
  }

  /// The type without the words in front of it that a caller does not see.
  private func withoutOwnership(_ type: Substring) -> String {
    var type = type
    while ["inout ", "__owned ", "__shared ", "sending ", "isolated "].contains(where: { type.removePrefix($0) }) {}
    return String(type)
  }

  extension Substring {
    /// The name that it begins with.
    fileprivate var identifier: Substring {
      prefix { $0 == "_" || $0.isLetter || $0.isNumber }
    }

    /// Drops `prefix` from the front, and says whether it was there.
    fileprivate mutating func removePrefix(_ prefix: String) -> Bool {
      guard hasPrefix(prefix) else { return false }
      removeFirst(prefix.count)
      return true
    }

    /// Drops brackets from the front, and returns what stood between them, or nil when there are none.
    fileprivate mutating func removeBrackets(from opening: Character) -> Substring? {
      guard first == opening else { return nil }
      var depth = 0
      for index in indices {
        depth += step(at: index)
        if depth == 0 {
          let inside = self[self.index(after: startIndex)..<index]
          self = self[self.index(after: index)...]
          return inside
        }
      }
      return nil
    }

    /// The parts between commas that stand in no brackets.
    fileprivate var pieces: [Substring] {
      var pieces: [Substring] = []
      var start = startIndex
      var depth = 0
      for index in indices {
        depth += step(at: index)
        if depth == 0, self[index] == "," {
          pieces.append(self[start..<index])
          start = self.index(after: index)
        }
      }
      pieces.append(self[start...])
      return pieces.map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
    }

    /// The first position of `text` outside all brackets.
    fileprivate func beginning(of text: String) -> Range<Index>? {
      var depth = 0
      for index in indices {
        if depth == 0, self[index...].hasPrefix(text) {
          return index..<self.index(index, offsetBy: text.count)
        }
        depth += step(at: index)
      }
      return nil
    }

    /// The change of the depth of brackets by the character at `index`; the head of an arrow is no bracket.
    private func step(at index: Index) -> Int {
      switch self[index] {
      case "(", "[", "<": 1
      case ")", "]": -1
      case ">": index > startIndex && self[self.index(before: index)] == "-" ? 0 : -1
      default: 0
      }
    }
  }
#endif
