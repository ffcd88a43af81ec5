import Foundation
import MillraceFlags
import MillraceHTTP

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
  /// The time between two probes; nil is the time of all.
  var interval: Duration?
  /// The longest that one attempt at a probe takes; nil is the limit of all.
  var limit: Duration?

  /// Reads `http://…`, `https://…` or `tcp://host:port`.
  ///
  /// - Throws: ``EndpointError``, saying what an endpoint needs.
  init(_ text: String) throws(EndpointError) {
    name = RedactedURL.url(text)
    guard text.contains("://") else { throw .unknownScheme }
    guard !text.contains(where: { $0.isWhitespace || $0.isNewline }) else { throw .notAURL }
    guard let parts = URLComponents(string: text) else {
      guard text.lowercased().hasPrefix("http") else { throw .unreadable }
      try Self.check(text)
      throw .unreadable
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
      guard let url = parts.url else { throw .unreadable }
      // Asked now: a URL that libcurl refuses would be down for ever.
      try Self.check(url.absoluteString)
      kind = .http(url)
    case "tcp":
      guard !host.isEmpty else { throw .noHost }
      guard host.contains(":") || TransferURL.isHostName(host) else { throw .noHostName }
      guard let port else { throw .noPort }
      guard parts.path.isEmpty || parts.path == "/",
        [parts.query, parts.fragment, parts.user, parts.password].allSatisfy({ $0 == nil })
      else { throw .tooMuch }
      kind = .tcp(host: host, port: UInt16(port))
    default:
      throw .unknownScheme
    }
  }

  /// - Throws: ``EndpointError``, when libcurl does not read the URL.
  private static func check(_ url: String) throws(EndpointError) {
    do throws(TransferURL.Unreadable) { _ = try TransferURL(reading: url) } catch {
      throw EndpointError(needs: error.needs)
    }
  }

  /// Whether its server has certificates.
  var hasCertificate: Bool {
    if case .http(let url) = kind { url.scheme?.lowercased() == "https" } else { false }
  }

  /// Whether both are asked in the same way, whenever that is.
  static func == (one: Endpoint, other: Endpoint) -> Bool { one.name == other.name && one.kind == other.kind }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(kind)
  }

  private init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// The same endpoint without what may be a secret, for a recording.
  var redacted: Endpoint {
    guard case .http(let url) = kind else { return self }
    var endpoint = Endpoint(name: name, kind: .http(url.redacted { $0.query = nil }))
    (endpoint.interval, endpoint.limit) = (interval, limit)
    return endpoint
  }
}

/// The reason for which a text names no endpoint: the missing part, and an example.
struct EndpointError: Error, Equatable {
  let needs: String
  var example = "http://localhost:8080"

  static let notAURL = EndpointError(needs: "a URL without blanks")
  static let unknownScheme = EndpointError(needs: "a URL that begins with http://, https:// or tcp://")
  static let unreadable = EndpointError(
    needs: "a URL whose port is a number, and with brackets around an IPv6 address only")
  static let noHostName = EndpointError(needs: TransferURL.Unreadable.host.needs, example: "tcp://localhost:5432")
  static let noHost = EndpointError(needs: "a URL with a host")
  static let noPort = EndpointError(needs: "a URL with a port from 1 to 65535", example: "tcp://localhost:5432")
  static let tooMuch = EndpointError(needs: "tcp://host:port and nothing else", example: "tcp://localhost:5432")
}

/// A URL that is shown, recorded and referred to by a name which has none of its secrets.
protocol Named: Hashable {
  var name: String { get set }
}

extension Sequence where Element: Named {
  /// The elements without repetitions; where several have one name, `#2`, `#3` and so on stand behind that of the later ones.
  ///
  /// No other name ends so, for names have no fragments.
  var named: [Element] {
    var seen: Set<Element> = []
    var counts: [String: Int] = [:]
    return filter { seen.insert($0).inserted }.map { element in
      let count = counts[element.name, default: 0] + 1
      counts[element.name] = count
      var element = element
      if count > 1 { element.name += "#\(count)" }
      return element
    }
  }
}

extension URL {
  /// The same URL without user, password and fragment, and with another change.
  func redacted(_ change: (inout URLComponents) -> Void) -> URL {
    // A URL that was read from a text can be taken apart, and what is left of it is a URL.
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return URL(filePath: "/") }
    parts.user = nil
    parts.password = nil
    parts.fragment = nil
    change(&parts)
    return parts.url ?? URL(filePath: "/")
  }
}
