import MillraceCurl

extension TransferURL {
  /// The reason for which a text is no URL that can be asked, as the end of a sentence that begins with "needs".
  package struct Unreadable: Error, Equatable {
    package let needs: String

    static let scheme = Unreadable(needs: "an http:// or https:// URL")
    static let length = Unreadable(needs: "a URL of at most \(longest) bytes")
    package static let host = Unreadable(
      needs: "a URL whose host is an address, or a name of letters, digits, '.', '-' and '_' (others in Punycode)")
    static let parts = Unreadable(
      needs: "a URL with a port from 0 to 65535, and without escaped control characters in user and password")
  }

  /// The longest URL that is taken, in bytes.
  static let longest = 8192

  /// Reads a URL as libcurl does.
  ///
  /// - Throws: ``Unreadable`` when libcurl does not take it, it has another scheme, or a host that cannot be looked up.
  package init(reading url: String) throws(Unreadable) {
    guard url.utf8.count <= Self.longest else { throw .length }
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://") else { throw .scheme }
    var parts = millrace_url()
    guard millrace_url_read(url, &parts) else {
      // libcurl of a later version refuses some hosts itself.
      let authority = url.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
      let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
      throw host.hasPrefix("[") || Self.isHostName(host.prefix { $0 != ":" }) ? .parts : .host
    }
    defer { millrace_url_free(&parts) }
    guard let text = parts.text, let host = parts.host, let port = parts.port,
      let number = UInt16(String(cString: port))
    else { throw .parts }
    let name = String(cString: host)
    guard name.hasPrefix("[") || Self.isHostName(name) else { throw .host }
    var credentials: Credentials?
    if parts.user != nil || parts.password != nil {
      credentials = Credentials(
        user: parts.user.map { String(cString: $0) } ?? "", password: parts.password.map { String(cString: $0) } ?? "")
    }
    self.init(text: String(cString: text), scheme: scheme, host: name, port: number, credentials: credentials)
  }

  /// Whether a host may be a name or an IPv4 address: letters, digits and a few signs.
  package static func isHostName(_ host: some StringProtocol) -> Bool {
    !host.isEmpty
      && host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
