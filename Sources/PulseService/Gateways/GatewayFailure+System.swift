import MillraceCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension GatewayFailure {
  /// The process has as many files open as it may.
  static let tooFewFiles = GatewayFailure("too few file descriptors; raise the limit (ulimit -n)")

  /// Nothing has answered within a limit.
  static func late(_ limit: Duration) -> GatewayFailure {
    GatewayFailure("no answer within \(Units.seconds(limit))")
  }

  /// The system's words for an error number, in lower case as they stand behind a name.
  static func system(_ number: Int32) -> GatewayFailure {
    if number == EMFILE || number == ENFILE { return .tooFewFiles }
    let words = String(cString: strerror(number))
    return GatewayFailure(words.prefix(1).lowercased() + words.dropFirst())
  }

  /// Why a transfer brought no answer; nil when it brought one.
  ///
  /// libcurl's own texts name hosts, ports and its functions, so that none of them is shown.
  ///
  /// - Parameter limit: The longest that the transfer could take.
  init?(_ answer: millrace_answer, limit: Duration) {
    switch answer.end {
    case .whole, .bodyLimit: return nil
    case .headerLimit: self = .lasting("the header of the answer is too long")
    case .cutShort: self = GatewayFailure("the answer was cut short")
    case .empty: self = GatewayFailure("empty answer")
    case .notHTTP: self = .lasting("answer is not HTTP")
    case .late: self = .late(limit)
    case .noConnection:
      self = answer.system_error == 0 ? GatewayFailure("cannot connect") : .system(answer.system_error)
    case .lost: self = GatewayFailure(answer.system_error == 0 ? "the answer broke off" : "connection lost")
    case .noAddress: self = GatewayFailure("host not found")
    case .notSecure: self = .lasting("secure connection failed")
    case .notTrusted: self = .lasting("certificate is not trusted")
    case .noCertificates: self = .lasting("no certificate can be trusted; install ca-certificates")
    case .other: self = GatewayFailure("the request failed (error \(answer.code) of libcurl)")
    }
  }
}
