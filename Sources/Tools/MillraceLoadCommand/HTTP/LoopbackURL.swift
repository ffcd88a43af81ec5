import Foundation
import MillraceFlags
import MillraceHTTP

/// The URL of a service on this machine.
struct LoopbackURL: Sendable, CustomStringConvertible {
  let url: TransferURL
  /// The addresses of the host in the order they are tried; empty where the host is an address itself.
  let addresses: [String]

  /// - Throws: a sentence that names the flag, for a text that is no URL and for a host that is not on loopback.
  init(_ text: String, flag: String) throws(FlagError) {
    do throws(TransferURL.Unreadable) {
      url = try TransferURL(reading: text)
    } catch {
      throw FlagError(
        flag: flag, needs: error.needs, given: RedactedURL.broken(text), example: "http://127.0.0.1:8080/")
    }
    guard let addresses = Self.addresses(of: url.bareHost) else {
      throw FlagError(
        "\(flag) loads services on this machine only, but was given \(FlagError.quoted(RedactedURL.url(url.text))); "
          + "name a host of 127.0.0.0/8, [::1] or localhost.")
    }
    self.addresses = addresses
  }

  /// The URL without credentials and query.
  var description: String { RedactedURL.url(url.text) }

  /// The addresses of a host on loopback, without those it states itself; nil for any other host.
  ///
  /// `localhost` is not looked up, so that no name server can make it another machine.
  private static func addresses(of host: String) -> [String]? {
    if host.lowercased() == "localhost" { return ["127.0.0.1", "::1"] }
    var (old, new) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, host, &old) == 1 {
      return UInt32(bigEndian: old.s_addr) >> 24 == 127 ? [] : nil
    }
    guard inet_pton(AF_INET6, host, &new) == 1 else { return nil }
    let isLoopback = withUnsafeBytes(of: &new) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    return isLoopback ? [] : nil
  }
}
