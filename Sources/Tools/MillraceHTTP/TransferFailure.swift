import Foundation
import MillraceCurl

/// The reason for which a transfer brought no answer, in a few words: "connection refused".
package struct TransferFailure: Error, Equatable, CustomStringConvertible {
  package let description: String
  /// Whether the same request would fail again a moment later, so that another attempt is of no use.
  package let isLasting: Bool
  /// Whether the request was sent, so that it may have done its work although the answer is missing.
  package private(set) var mayHaveArrived = false

  private init(_ reason: String, isLasting: Bool = false) {
    description = reason
    self.isLasting = isLasting
  }

  /// The process has as many files open as it may.
  package static let tooFewFiles = TransferFailure("too few file descriptors; raise the limit (ulimit -n)")

  /// libcurl did not take the request.
  package static let unmade = TransferFailure("the request cannot be made")

  /// The text of a URL and a path is no URL.
  static let noURL = TransferFailure("the path makes no URL", isLasting: true)

  /// The body of an answer is longer than its limit in bytes.
  static func tooLong(_ limit: Int) -> TransferFailure {
    TransferFailure("the answer has more than \(limit) bytes", isLasting: true)
  }

  /// The host has no address.
  package static let unknownHost = TransferFailure("host not found")

  /// The certificate of the server, or of one of its issuers, has expired.
  package static let expired = TransferFailure("certificate has expired; renew it", isLasting: true)

  package static let silentNameServer = TransferFailure("no answer from the name server")

  /// No answer arrived within a limit.
  package static func late(_ limit: Duration) -> TransferFailure {
    TransferFailure("no answer within \(seconds(limit))")
  }

  private static func seconds(_ limit: Duration) -> String { String(format: "%g s", limit / .seconds(1)) }

  /// The system's words for an error number, in lower case as they stand behind a name.
  package static func system(_ number: Int32) -> TransferFailure {
    if number == EMFILE || number == ENFILE { return .tooFewFiles }
    let words = String(cString: strerror(number))
    return TransferFailure(words.prefix(1).lowercased() + words.dropFirst())
  }

  /// The reason for which a certificate is not trusted, by OpenSSL's number, and the cure.
  private static func distrust(_ verification: Int32) -> String {
    switch verification {
    // libcurl compares the host itself, once OpenSSL has found nothing wrong.
    case 0, 1, 62: "certificate is for another host; name the host that it is for"
    case 9: "certificate is not valid yet; compare the clocks of both machines"
    case 18: "certificate is self-signed; trust it by --ca FILE"
    case 2, 19, 20, 21: "issuer of the certificate is unknown; trust it by --ca FILE"
    default: "certificate is not trusted (error \(verification) of OpenSSL)"
    }
  }

  /// The reason for which a transfer brought no answer; nil when it brought one.
  ///
  /// libcurl's own texts name hosts, ports and its functions, so that none of them is shown.
  ///
  /// - Parameter limit: The longest that the transfer could take.
  init?(_ answer: millrace_answer, limit: Duration) {
    switch answer.end {
    case .whole, .bodyLimit: return nil
    case .headerLimit: self.init("the header of the answer is too long", isLasting: true)
    case .cutShort: self.init("the answer was cut short")
    case .empty: self.init("empty answer")
    case .notHTTP: self.init("answer is not HTTP", isLasting: true)
    case .late: self = .late(limit)
    case .bodyLate: self.init("the answer did not end within \(Self.seconds(limit))")
    case .switched: self.init("the server switched to another protocol (status 101)", isLasting: true)
    // The loop gives such a transfer a connection, or fails with the reason why there is none.
    case .lacksConnection: self.init("cannot connect")
    case .noConnection:
      self = answer.system_error == 0 ? TransferFailure("cannot connect") : .system(answer.system_error)
    case .lost: self.init(answer.system_error == 0 ? "the answer broke off" : "connection lost")
    case .noAddress: self = .unknownHost
    case .notSecure: self.init("secure connection failed", isLasting: true)
    case .notTrusted where answer.verification == 10: self = .expired
    case .notTrusted: self.init(Self.distrust(answer.verification), isLasting: true)
    case .noCertificates:
      self.init("no certificate can be trusted; install ca-certificates, or name issuers by --ca FILE", isLasting: true)
    case .other: self.init("the request failed (error \(answer.code) of libcurl)")
    }
    mayHaveArrived = answer.is_sent
  }
}
