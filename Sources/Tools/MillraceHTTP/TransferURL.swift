/// An `http://` or `https://` URL as libcurl reads it, so that the host which is looked up is the one it connects to.
package struct TransferURL: Sendable, Equatable {
  /// The credentials, by the Basic scheme.
  package struct Credentials: Sendable, Equatable {
    package var user: String
    package var password: String

    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// The URL without its credentials.
  package let text: String
  package let scheme: String
  /// The name or the address of the host; an IPv6 address is in brackets.
  package let host: String
  package let port: UInt16
  /// The credentials that the URL names.
  package var credentials: Credentials?

  init(text: String, scheme: String, host: String, port: UInt16, credentials: Credentials?) {
    (self.text, self.scheme, self.host, self.port, self.credentials) = (text, scheme, host, port, credentials)
  }

  /// Reads a URL; nil where ``init(reading:)`` throws.
  package init?(_ url: String) {
    guard let read = try? TransferURL(reading: url) else { return nil }
    self = read
  }

  /// Whether both URLs lead to the same server, which may then get the same credentials.
  package func hasOrigin(of other: TransferURL) -> Bool {
    scheme == other.scheme && host.lowercased() == other.host.lowercased() && port == other.port
  }

  /// The host without brackets.
  package var bareHost: String {
    host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : host
  }
}
