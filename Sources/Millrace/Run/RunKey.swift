/// The idempotency key of a run, of which the keys for its gateways are made.
@usableFromInline
package struct RunKey: Sendable {
  /// The key that the sender gave, or that the store has made.
  package let text: String

  /// Whether the sender of the action gave the key, so that the result is remembered.
  package let isSenders: Bool

  /// The names of the log, as ``names(_:)`` joins them, with which the keys for gateways begin.
  ///
  /// The senders of two stores may use one key, so the key alone is not enough. Nil without a journal, and for a run of a take-up whose
  /// keys have no names.
  package let log: String?

  package init(_ text: String, isSenders: Bool, log: String? = nil) {
    self.text = text
    self.isSenders = isSenders
    self.log = log
  }

  /// The largest number of bytes of a key for gateways.
  static var longest: Int { 255 }

  /// Joins names, each behind its length, so that no other names make the same text, whatever characters they have.
  package static func names(_ names: [String]) -> String {
    names.map { "\($0.utf8.count).\($0)" }.joined(separator: "/")
  }

  /// The text before the names of steps.
  ///
  /// A slash is between two names and a point behind the last one, so the number of names can be read too.
  private var whole: String { (log.map { $0 + "/" } ?? "") + Self.names([text]) }

  /// The key of the run for gateways.
  var textOfRun: String { log == nil ? text : Self.bounded(whole) }

  /// The key of a step for gateways.
  func text(ofStep name: String) -> String { Self.bounded("\(whole).\(name)") }

  private static func bounded(_ text: String) -> String {
    text.utf8.count <= longest ? text : SHA256.hexadecimal(of: text.utf8)
  }
}
