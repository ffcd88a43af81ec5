import Foundation
import MillraceHTTP
import MillraceLoopback

@testable import PulseService

/// A server that answers each path as a script says, and a gateway that asks it.
struct HostileServer: Sendable {
  let responder: LoopbackResponder
  /// Its limit is longer than any test, and names lead to the responder or nowhere: nothing outside is asked.
  let gateway = LiveEndpointGateway(
    limit: .seconds(120), resolver: Resolver { host in host.hasSuffix(".loop") ? ["127.0.0.1"] : [] })

  init(_ script: @escaping @Sendable (_ path: String) -> LoopbackResponder.Reply) throws {
    responder = try LoopbackResponder(script)
  }

  /// A server that sends text as it is and closes the connection.
  init(_ texts: [String: String]) throws {
    try self.init { path in .raw(Array((texts[path] ?? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").utf8)) }
  }

  /// The result of a probe: `up`, or the reason why the target is down.
  func verdict(_ path: String = "/") async throws -> String {
    do {
      try await gateway.probe(Endpoint(responder.url(path)))
      return "up"
    } catch let failure as GatewayFailure {
      return failure.description
    }
  }

  func stop() { responder.stop() }

  /// Everything that can become of an answer, statuses apart.
  static let verdicts: Set<String> = [
    "up", "the answer was cut short", "empty answer", "answer is not HTTP", "the header of the answer is too long",
    "connection lost", "the answer broke off", "too many redirections",
    "redirected to what is no http:// or https:// URL", "host not found",
    "redirected with too long a body", "connection refused", "the server switched to another protocol (status 101)",
  ]

  /// Whether a verdict is one of ``verdicts`` or names a status.
  static func isKnown(_ verdict: String) -> Bool {
    verdicts.contains(verdict) || verdict.hasPrefix("status ")
  }
}
