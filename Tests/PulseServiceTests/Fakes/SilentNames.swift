import Foundation
import MillraceTesting

@testable import PulseService

/// A name server that is silent about every name but those that begin with "healthy", until it is told to answer.
struct SilentNames: Sendable {
  /// The names that were looked up, in the order in which that began.
  let lookedUp = Recorder<String>()
  private let silence = DispatchSemaphore(value: 0)

  /// Blocks its thread for as long as there is no answer, as the system's look-up does.
  var lookUp: Resolver.LookUp {
    { host throws(GatewayFailure) in
      lookedUp.record(host)
      if host.hasPrefix("healthy") { return ["127.0.0.1"] }
      silence.wait()
      silence.signal()
      throw GatewayFailure("no answer from the name server")
    }
  }

  /// Ends the silence.
  func answer() { silence.signal() }
}
