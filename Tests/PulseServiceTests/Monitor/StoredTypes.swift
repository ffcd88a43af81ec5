@testable import PulseService

/// The types of the values that a type stores, by the metadata that the compiler writes for reflection.
///
/// Unlike `Mirror`, which shows one value, it finds the payload of each case, and a value that is nil.
struct StoredTypes {
  /// The module whose types are looked into.
  let module: String
  /// Types of which each value that can be decoded is used without harm.
  let harmless: [Any.Type]
  private var seen: Set<ObjectIdentifier> = []
  /// The types of other modules that are decoded without a check.
  private(set) var unchecked: [String] = []

  init(of module: String, harmless: [Any.Type], in roots: [Any.Type]) {
    self.module = module
    self.harmless = harmless
    roots.forEach { visit($0, isElement: false) }
  }

  private mutating func visit(_ type: Any.Type, isElement: Bool) {
    if harmless.contains(where: { $0 == type }) { return }
    if type is any Checked.Type {
      // The elements of a collection that is not checked itself are decoded by the collection.
      if isElement { unchecked.append("\(type)") }
    } else if let type = type as? any Wrapping.Type {
      type.parts.forEach { visit($0, isElement: isElement || !type.isOptional) }
    } else if let parts = Self.parts(ofTuple: type) {
      parts.forEach { visit($0, isElement: isElement) }
    } else if String(reflecting: type).hasPrefix(module + ".") {
      guard seen.insert(ObjectIdentifier(type)).inserted else { return }
      Self.fields(of: type).forEach { visit($0, isElement: false) }
    } else {
      unchecked.append("\(type)")
    }
  }

  /// The types of a tuple's elements; a case with several values has a tuple.
  private static func parts(ofTuple type: Any.Type) -> [Any.Type]? {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    guard metadata.load(as: UInt.self) == 0x301 else { return nil }
    let count = metadata.load(fromByteOffset: 8, as: Int.self)
    return (0..<count).map { metadata.load(fromByteOffset: 24 + 16 * $0, as: Any.Type.self) }
  }

  /// The types of the fields of a structure, or of the payloads of an enumeration, which is not generic.
  private static func fields(of type: Any.Type) -> [Any.Type] {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let isValue = [0x200, 0x201].contains(metadata.load(as: UInt.self))
    precondition(isValue, "\(type) is neither a structure nor an enumeration.")
    let fields = target(metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self) + 16)
    let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
    let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
    return (0..<count).compactMap { index in
      let name = fields + 16 + index * size + 4
      guard name.load(as: Int32.self) != 0 else { return nil }
      return Self.type(named: target(name).assumingMemoryBound(to: UInt8.self))
    }
  }

  private static func target(_ relative: UnsafeRawPointer) -> UnsafeRawPointer {
    relative + Int(relative.load(as: Int32.self))
  }

  /// The type of a mangled name, in which a byte below 32 begins a reference.
  private static func type(named name: UnsafePointer<UInt8>) -> Any.Type {
    var length = 0
    while name[length] != 0 {
      length += name[length] < 0x18 ? 5 : name[length] < 0x20 ? 9 : 1
    }
    guard
      let type = _getTypeByMangledNameInContext(
        name, UInt(length), genericContext: nil, genericArguments: nil)
    else { preconditionFailure("A type that is stored has metadata.") }
    return type
  }
}

/// A type of the standard library that decodes other types.
private protocol Wrapping {
  static var parts: [Any.Type] { get }
  static var isOptional: Bool { get }
}

extension Wrapping {
  static var isOptional: Bool { false }
}

extension Optional: Wrapping {
  static var parts: [Any.Type] { [Wrapped.self] }
  static var isOptional: Bool { true }
}

extension Array: Wrapping {
  static var parts: [Any.Type] { [Element.self] }
}

extension Dictionary: Wrapping {
  static var parts: [Any.Type] { [Key.self, Value.self] }
}
