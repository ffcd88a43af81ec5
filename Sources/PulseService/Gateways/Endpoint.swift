import Foundation
import MillraceFlags

/// Something outside of this service that is up or down, named by its URL.
struct Endpoint: Codable, Sendable, Hashable, Named {
  /// The scheme by which the endpoint is asked.
  enum Kind: Codable, Sendable, Hashable {
    /// By a GET, which has to be answered with a status below 400.
    case http(URL)
    /// By a connection, which has to be accepted.
    case tcp(host: String, port: UInt16)
  }

  /// The URL as it may be shown: without user, password, query and fragment.
  var name: String
  let kind: Kind

  /// Reads `http://…`, `https://…` or `tcp://host:port`.
  ///
  /// - Throws: ``EndpointError``, saying what an endpoint needs.
  init(_ text: String) throws(EndpointError) {
    name = RedactedURL.url(text)
    guard !text.contains(where: { $0.isWhitespace || $0.isNewline }), let parts = URLComponents(string: text) else {
      throw .notAURL
    }
    // A host in brackets is an IPv6 address; the brackets belong to the URL.
    let host = (parts.host ?? "").trimmingCharacters(in: ["[", "]"])
    let port = parts.port
    if let port, !(1...65535).contains(port) {
      throw .noPort
    }
    switch parts.scheme?.lowercased() {
    case "http", "https":
      guard !host.isEmpty else { throw .noHost }
      guard let url = parts.url else { throw .notAURL }
      kind = .http(url)
    case "tcp":
      guard !host.isEmpty else { throw .noHost }
      guard let port else { throw .noPort }
      guard parts.path.isEmpty || parts.path == "/",
        [parts.query, parts.fragment, parts.user, parts.password].allSatisfy({ $0 == nil })
      else { throw .tooMuch }
      kind = .tcp(host: host, port: UInt16(port))
    default:
      throw .unknownScheme
    }
  }

  private init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// The same endpoint without what may be a secret, for a recording.
  var redacted: Endpoint {
    guard case .http(let url) = kind else { return self }
    return Endpoint(name: name, kind: .http(url.redacted { $0.query = nil }))
  }
}

/// The reason for which a text names no endpoint: the missing part, and an example.
struct EndpointError: Error, Equatable {
  let needs: String
  var example = "http://localhost:8080"

  static let notAURL = EndpointError(needs: "a URL without blanks")
  static let unknownScheme = EndpointError(needs: "a URL that begins with http://, https:// or tcp://")
  static let noHost = EndpointError(needs: "a URL with a host")
  static let noPort = EndpointError(needs: "a URL with a port from 1 to 65535", example: "tcp://localhost:5432")
  static let tooMuch = EndpointError(needs: "tcp://host:port and nothing else", example: "tcp://localhost:5432")
}
