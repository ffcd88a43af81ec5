import Foundation
import MillraceSocket
import Synchronization

/// An HTTP/1.1 responder on 127.0.0.1 for tests and load runs: it answers each request as its script says, and keeps connections open.
///
/// One thread serves all connections; it owns everything that changes but a count, so that there is nothing to lock. The body of a
/// request is UTF-8 with a `Content-Length`, and one connection has one request under way.
public final class LoopbackResponder: Sendable {
  /// The answer to a request.
  public enum Reply: Sendable {
    /// An answer; the connection stays open for the next request.
    case answer(status: Int = 200, body: String = "ok", after: Duration = .zero)
    /// A connection that breaks with a TCP reset.
    case reset
    /// Nothing at all, for as long as the client waits.
    case hang
    /// These bytes as they are, HTTP or not, at once or each in a call of its own, and then the ending.
    case raw([UInt8], isOneByOne: Bool = false, then: Ending = .close)
  }

  /// The next step behind bytes that are sent as they are.
  public enum Ending: Sendable {
    /// The connection is closed.
    case close
    /// The connection stays open for the next request.
    case stay
    /// These bytes are sent again and again, until the client closes the connection.
    case repeating([UInt8])
  }

  /// The port that the system has chosen.
  public let port: UInt16
  /// A byte, or the end of this pipe, ends the thread.
  private let wake: (read: Int32, write: Int32)
  private let finished = DispatchSemaphore(value: 0)
  private let accepted = AcceptedConnections()

  /// Listens on a free port and answers until ``stop()``.
  ///
  /// - Parameter script: gives the reply to a request, by its path; called on the responder's thread, in the order in
  ///   which requests arrive.
  /// - Throws: an error whose description says why, when the system gives no socket.
  public convenience init(_ script: @escaping @Sendable (_ path: String) -> Reply) throws {
    try self.init(answeringBy: { script($0.path) })
  }

  /// A responder whose script gets the whole request; otherwise as ``init(_:)``.
  public static func toRequests(
    _ script: @escaping @Sendable (LoopbackRequest) -> Reply
  ) throws -> LoopbackResponder {
    try LoopbackResponder(answeringBy: script)
  }

  private init(answeringBy script: @escaping @Sendable (LoopbackRequest) -> Reply) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw LoopbackError() }
    wake = (ends[0], ends[1])
    let listener = try Listener()
    port = listener.port
    let loop = LoopbackLoop(listener: listener.descriptor, wake: wake.read, accepted: accepted, script: script)
    Thread.detachNewThread { [finished] in
      loop.run()
      finished.signal()
    }
  }

  /// The number of connections that were accepted so far.
  public var connectionCount: Int { accepted.count.load(ordering: .relaxed) }

  /// Closes all connections and the port; when this returns the thread has ended.
  public func stop() {
    close(wake.write)
    finished.wait()
    finished.signal()
  }

  /// The URL of a path on this responder.
  public func url(_ path: String = "/") -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// A port without a listener: it was given out by the system, and given back.
  public static func closedPort() throws -> UInt16 {
    let listener = try Listener()
    listener.close()
    return listener.port
  }
}

/// The number of connections that a responder has accepted.
final class AcceptedConnections: Sendable {
  let count = Atomic(0)
}

/// The system refused a pipe; the description says why.
public struct LoopbackError: Error, CustomStringConvertible {
  /// The system's words.
  public let description = "The loopback responder has no pipe: \(String(cString: strerror(errno)))"
}
