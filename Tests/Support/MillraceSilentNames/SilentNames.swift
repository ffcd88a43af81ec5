import Foundation
package import MillraceHTTP
package import MillraceTesting

/// A name server that is silent about every name but those that begin with "healthy", until it is told to answer.
package struct SilentNames: Sendable {
  /// The names that were looked up, in the order in which that began.
  package let lookedUp = Recorder<String>()
  private let silence = DispatchSemaphore(value: 0)

  package init() {}

  /// Blocks its thread for as long as there is no answer, as the system's look-up does.
  package var lookUp: Resolver.LookUp {
    { host throws(TransferFailure) in
      lookedUp.record(host)
      if host.hasPrefix("healthy") { return ["127.0.0.1"] }
      silence.wait()
      silence.signal()
      throw TransferFailure.silentNameServer
    }
  }

  /// Ends the silence.
  package func answer() { silence.signal() }
}
