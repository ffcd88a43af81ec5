/// The trace that an action belongs to, in the form of W3C Trace Context; it travels with the action.
public struct TraceContext: Sendable, Hashable {
  /// The value of the `traceparent` header.
  public let traceparent: String

  /// The value of the `tracestate` header, if there is one.
  public let tracestate: String?

  /// The context with these header values, which are passed on as they are.
  public init(traceparent: String, tracestate: String? = nil) {
    self.traceparent = traceparent
    self.tracestate = tracestate
  }

  /// A context that begins a new trace, for an action that comes from no traced caller.
  ///
  /// The parent id is the id of the caller's span, which is not recorded: the span of the action is the first.
  ///
  /// - Parameters:
  ///   - random: the generator of the ids: two words for the trace and one for the parent.
  ///   - isSampled: whether those who take part are to record their spans.
  public static func new(using random: inout some RandomNumberGenerator, isSampled: Bool = true) -> TraceContext {
    let traceID = UInt128(random.next()) << 64 | UInt128(random.next())
    let parent = TraceParent(
      traceID: traceID, parentID: random.next(), flags: isSampled ? TraceParent.sampled : 0)
    return TraceContext(traceparent: parent.description)
  }
}

/// The `traceparent` of W3C Trace Context: a trace, and the span in it that calls.
///
/// ```
/// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
/// ```
///
/// It is read and written as the recommendation of 23 November 2021 says (https://www.w3.org/TR/trace-context-1/).
package struct TraceParent: Sendable, Hashable, LosslessStringConvertible {
  /// The id of the trace; never 0.
  package let traceID: UInt128

  /// The id of the span that calls; never 0.
  package let parentID: UInt64

  /// The flags as they were read; of those only ``isSampled`` has a meaning.
  package let flags: UInt8

  /// Whether the caller may have recorded its span.
  package var isSampled: Bool { flags & TraceParent.sampled != 0 }

  /// The value with these ids, neither of which may be 0; 0 is taken as 1.
  package init(traceID: UInt128, parentID: UInt64, flags: UInt8) {
    self.traceID = max(1, traceID)
    self.parentID = max(1, parentID)
    self.flags = flags
  }

  /// Reads the value of a `traceparent` header; nil if it is invalid.
  ///
  /// Valid are 2, 32, 16 and 2 lower-case hexadecimal digits with dashes between, neither id all zero. Of version 00 there is
  /// nothing more. A higher version may continue with a dash and anything after it, which is not looked at; version ff is invalid.
  ///
  /// - Parameter text: the value, without white space around it.
  package init?(_ text: String) {
    var reader = HexReader(text)
    guard let version = reader.read(UInt8.self), version != 0xFF, reader.readDash(),
      let traceID = reader.read(UInt128.self), reader.readDash(), let parentID = reader.read(UInt64.self),
      reader.readDash(), let flags = reader.read(UInt8.self),
      reader.isAtEnd || version > 0 && reader.readDash(), traceID != 0, parentID != 0
    else { return nil }
    self.init(traceID: traceID, parentID: parentID, flags: flags)
  }

  /// The value of the header in version 00; flags that the recommendation does not define are sent as 0.
  package var description: String {
    "00-\(hexadecimal(traceID))-\(hexadecimal(parentID))-\(hexadecimal(flags & TraceParent.definedFlags))"
  }

  static var sampled: UInt8 { 0x01 }

  /// Sampled, and that the trace's id is random, which the next level of the recommendation defines.
  private static var definedFlags: UInt8 { 0x03 }
}

/// All digits of a number, in lower case.
func hexadecimal(_ number: some FixedWidthInteger & UnsignedInteger) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: number.bitWidth / 4 - digits.count) + digits
}

/// Reads numbers of a fixed width from a text.
private struct HexReader {
  private var rest: Substring.UTF8View

  init(_ text: String) {
    rest = Substring(text).utf8
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func readDash() -> Bool {
    rest.popFirst() == UInt8(ascii: "-")
  }

  /// The number whose digits come next, as many as its type has; nil if one is no lower-case digit.
  mutating func read<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    var number: Number = 0
    for _ in 0..<Number.bitWidth / 4 {
      switch rest.popFirst() {
      case .some(let digit) where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit:
        number = number << 4 | Number(digit - UInt8(ascii: "0"))
      case .some(let digit) where UInt8(ascii: "a")...UInt8(ascii: "f") ~= digit:
        number = number << 4 | Number(digit - UInt8(ascii: "a") + 10)
      default:
        return nil
      }
    }
    return number
  }
}
