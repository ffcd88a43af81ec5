import MillraceCurl

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

  /// The longest URL that is taken, in bytes.
  private static let longest = 8192

  /// Reads a URL; nil when libcurl does not take it, or it has another scheme or a host that cannot be looked up.
  package init?(_ url: String) {
    guard url.utf8.count <= Self.longest else { return nil }
    var parts = millrace_url()
    guard millrace_url_read(url, &parts) else { return nil }
    defer { millrace_url_free(&parts) }
    guard let text = parts.text, let scheme = parts.scheme, let host = parts.host, let port = parts.port,
      let number = UInt16(String(cString: port))
    else { return nil }
    self.text = String(cString: text)
    self.scheme = String(cString: scheme)
    self.host = String(cString: host)
    self.port = number
    if parts.user != nil || parts.password != nil {
      credentials = Credentials(
        user: parts.user.map { String(cString: $0) } ?? "", password: parts.password.map { String(cString: $0) } ?? "")
    }
    guard ["http", "https"].contains(self.scheme), self.host.hasPrefix("[") || Self.isName(self.host) else {
      return nil
    }
  }

  /// Whether both URLs lead to the same server, which may then get the same credentials.
  package func hasOrigin(of other: TransferURL) -> Bool {
    scheme == other.scheme && host.lowercased() == other.host.lowercased() && port == other.port
  }

  /// The host without brackets.
  package var bareHost: String {
    host.hasPrefix("[") ? String(host.dropFirst().prefix { $0 != "]" }) : host
  }

  /// Whether a host may be a name or an IPv4 address: letters, digits and a few signs.
  private static func isName(_ host: String) -> Bool {
    host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}
