import MillraceHTTP

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
