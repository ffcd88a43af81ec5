import Millrace
import MillraceHTTP

/// The failure of a gateway, in a few words: "connection refused".
struct GatewayFailure: RetryAfter, Equatable, Codable, CustomStringConvertible {
  let description: String
  /// Whether the same request would fail again a moment later, so that another attempt is of no use.
  let isLasting: Bool
  /// The status of the answer by HTTP that stands for the failure; nil where there was no answer.
  let status: Int?
  /// Whether something was posted that may have arrived although the answer is missing.
  var mayHaveArrived = false
  /// The time for which the server asks to be left alone.
  var retryAfter: Duration?
  /// The certificates of the server; nil if they were not read.
  var certificate: CertificateReading?

  /// A failure that another attempt may mend.
  init(_ reason: String) {
    self.init(reason, isLasting: false, status: nil)
  }

  private init(_ reason: String, isLasting: Bool, status: Int?) {
    description = reason
    self.isLasting = isLasting
    self.status = status
  }

  /// A failure that no further attempt mends.
  static func lasting(_ reason: String) -> GatewayFailure {
    GatewayFailure(reason, isLasting: true, status: nil)
  }

  /// An answer with a status that stands for a failure: the server's trouble passes, what it says of the request stays.
  ///
  /// - Parameters:
  ///   - retryAfter: The time for which the server asks to be left alone, which statuses 429 and 503 do.
  ///   - certificate: The certificates of the server; nil if they were not read.
  static func status(
    _ status: Int, retryAfter: Duration? = nil, certificate: CertificateReading? = nil
  ) -> GatewayFailure {
    // Request timeout, too early, too many requests: they ask to come again.
    let mayPass = status >= 500 || [408, 425, 429].contains(status)
    var failure = GatewayFailure("status \(status)", isLasting: !mayPass, status: status)
    if [429, 503].contains(status) { failure.retryAfter = retryAfter }
    failure.certificate = certificate
    return failure
  }
}

extension GatewayFailure {
  /// The process has as many files open as it may.
  static let tooFewFiles = GatewayFailure(.tooFewFiles)

  /// Nothing has answered within a limit.
  static func late(_ limit: Duration) -> GatewayFailure {
    GatewayFailure(.late(limit))
  }

  /// The system's words for an error number, in lower case as they stand behind a name.
  static func system(_ number: Int32) -> GatewayFailure {
    GatewayFailure(.system(number))
  }

  /// The reason for which a transfer brought no answer.
  init(_ failure: TransferFailure) {
    self = failure.isLasting ? .lasting(failure.description) : GatewayFailure(failure.description)
    if failure == .expired { certificate = .expires(after: .zero) }
  }

  /// Calls a function that suspends, and throws a failure of a transfer as the failure of a gateway; other errors stay.
  static func rethrowing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let failure as TransferFailure {
      throw GatewayFailure(failure)
    }
  }

  /// Calls a function, and throws what it throws as the failure of a gateway.
  static func rethrowing<Result>(_ body: () throws(TransferFailure) -> Result) throws(GatewayFailure) -> Result {
    do throws(TransferFailure) {
      return try body()
    } catch {
      throw GatewayFailure(error)
    }
  }
}
