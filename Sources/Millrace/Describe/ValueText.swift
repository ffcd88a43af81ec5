/// A value as one line of text, shortened to a limit.
///
/// It stops looking at a value once it has enough, so that a large one costs no more than its beginning. Sets and
/// dictionaries are sorted by their texts, and are looked at as a whole.
package struct ValueText {
  /// The depth of parts within parts that is shown.
  private static var depth: Int { 8 }

  private let limit: Int
  private var text = ""

  /// The text of a value, of at most `limit` characters and an ellipsis.
  package static func of(_ value: Any, limit: Int) -> String {
    var text = ValueText(limit: limit)
    text.write(value, depth: 0)
    guard text.text.count > limit else { return text.text }
    return text.text.prefix(limit) + "…"
  }

  private init(limit: Int) {
    self.limit = limit
  }

  private var isFull: Bool { text.utf8.count > limit && text.count > limit }

  private mutating func write(_ value: Any, depth: Int) {
    if isFull { return }
    if let string = ValueText.string(value) { return text += String(string.prefix(limit)).debugDescription }
    if depth >= ValueText.depth { return text += "…" }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      if let (_, wrapped) = mirror.children.first { write(wrapped, depth: depth) } else { text += "nil" }
    case .collection: writeParts(of: mirror, in: ("[", "]"), depth)
    case .set: writeSorted(mirror)
    case .dictionary: writePairs(mirror)
    case .tuple: writeParts(of: mirror, in: ("(", ")"), depth)
    default: writeOther(value, mirror, depth)
    }
  }

  private static func string(_ value: Any) -> String? {
    value as? String ?? (value as? Substring).map(String.init) ?? (value as? Character).map(String.init)
  }

  /// Writes the parts of a value with their own labels.
  private mutating func writeParts(of mirror: Mirror, in brackets: (String, String), _ depth: Int) {
    text += brackets.0
    var isFirst = true
    for (label, value) in mirror.children {
      if isFull { return }
      if !isFirst { text += ", " }
      isFirst = false
      if let label, label.first != "." { text += "\(label): " }
      write(value, depth: depth + 1)
    }
    text += brackets.1
  }

  private mutating func writeSorted(_ mirror: Mirror) {
    let texts = mirror.children.map { ValueText.of($0.value, limit: limit) }
    text += "[\(texts.sorted().joined(separator: ", "))]"
  }

  private mutating func writePairs(_ mirror: Mirror) {
    let texts = mirror.children.map { child in
      Mirror(reflecting: child.value).children.map { ValueText.of($0.value, limit: limit) }.joined(separator: ": ")
    }
    text += texts.isEmpty ? "[:]" : "[\(texts.sorted().joined(separator: ", "))]"
  }

  /// Whether a value has a description of its own, so that it is shown as a whole.
  package static func isDescribed(_ value: Any) -> Bool {
    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
  }

  /// Writes a number, a struct, a case or an object.
  private mutating func writeOther(_ value: Any, _ mirror: Mirror, _ depth: Int) {
    let type = CaseName.name(of: type(of: value))
    if let described = value as? any CustomStringConvertible {
      text += described.description.prefix(limit + 1)
    } else if let described = value as? any CustomDebugStringConvertible {
      text += described.debugDescription.prefix(limit + 1)
    } else if mirror.displayStyle == .struct {
      text += type
      writeParts(of: mirror, in: ("(", ")"), depth)
    } else if mirror.displayStyle == .enum {
      text += CaseName.of(value)
      if let (_, payload) = mirror.children.first { writePayload(payload, depth) }
    } else if mirror.displayStyle == nil {
      text += String(describing: value).prefix(limit + 1)
    } else {
      text += type
    }
  }

  private mutating func writePayload(_ payload: Any, _ depth: Int) {
    if Mirror(reflecting: payload).displayStyle == .tuple { return write(payload, depth: depth) }
    text += "("
    write(payload, depth: depth + 1)
    text += ")"
  }
}

/// The name of a value where its payload must not be shown.
package enum CaseName {
  /// The name of an enum's case without its payload; of any other value the name of its type.
  ///
  /// No description of a caller's is ever called, for it may show a payload. So a case of an enum that describes itself, or
  /// has a mirror of its own, is called by the name of the enum, where the runtime offers no other way to its name.
  package static func of(_ value: Any) -> String {
    let type = type(of: value)
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      guard let (_, wrapped) = mirror.children.first else { return "nil" }
      return of(wrapped)
    case .enum where !(value is any CustomReflectable):
      if let label = mirror.children.first?.label { return label }
      return describesItself(value) ? name(of: type) : String(describing: value)
    default:
      return name(of: type)
    }
  }

  /// The name of a type without its module.
  package static func name(of type: Any.Type) -> String {
    _typeName(type, qualified: false)
  }

  /// Whether `String(describing:)` asks the value itself.
  private static func describesItself(_ value: Any) -> Bool {
    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
      || value is any TextOutputStreamable
  }
}

/// The style of actions, mutations and outcomes in texts, because payloads may hold secrets.
struct ValueName: Sendable {
  /// Whether payloads are shown.
  let payloads: Bool

  /// The number of characters that are shown of a value with its payload.
  private static var limit: Int { 200 }

  /// The name of a case or a type; with its payload, shortened, if payloads are shown.
  func of(_ value: Any) -> String {
    payloads ? ValueText.of(value, limit: ValueName.limit) : CaseName.of(value)
  }

  /// An action with the run that handles it.
  func of<Action: Sendable>(_ cause: Cause<Action>) -> String {
    "\(of(cause.action)) (\(cause.context.run))"
  }

  /// An outcome; errors and reasons are payloads.
  func of(_ outcome: Outcome) -> String {
    if payloads { return outcome.description }
    return switch outcome {
    case .failed(let error): "failed with \(CaseName.name(of: type(of: error)))"
    case .rejected(let rejection): "rejected as \(rejection.kind)"
    case .finished, .cancelled, .superseded, .timedOut, .shutDown, .abandoned, .leftOpen: "\(outcome.kind)"
    }
  }
}
