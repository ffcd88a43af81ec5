/// A fault of a call on its way, drawn by ``FakeFaults``.
///
/// ``timeout`` and ``reset`` are also the errors that such a call throws.
public enum FakeFault: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// The call takes longer: its latency and ``FakeFaults/Settings/slowness`` together.
  case slow
  /// The request is handled, and its answer is lost: once ``FakeFaults/Settings/patience`` is over, the call throws
  /// this.
  case timeout
  /// The connection breaks before the request is handled: the call throws this, and uses no script.
  case reset
  /// The request is delivered twice: a handler is called twice, one after the other, the log has two entries, and the
  /// caller gets the first answer. A scripted reply is used once.
  case duplicate
  /// The answer is held back until a call that came later has ended, or ``FakeFaults/Settings/patience`` is over.
  ///
  /// On an ``ImmediateClock``, on which any time is over at once, it is held back as long as a later call is under way and none
  /// has ended; calls that are made one after the other are in order there.
  case outOfOrder

  /// The name of the case.
  var name: String {
    switch self {
    case .slow: "slow"
    case .timeout: "timeout"
    case .reset: "reset"
    case .duplicate: "duplicate"
    case .outOfOrder: "outOfOrder"
    }
  }

  /// The fault as a sentence.
  public var description: String {
    switch self {
    case .slow: "The call is slow."
    case .timeout: "The call timed out: it was handled, and its answer was lost (FakeFaults)."
    case .reset: "The connection was reset before the call was handled (FakeFaults)."
    case .duplicate: "The request is delivered twice."
    case .outOfOrder: "The answer comes after one to a later call."
    }
  }
}
