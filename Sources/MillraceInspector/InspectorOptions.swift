/// The limits and the names of an inspector.
public struct InspectorOptions: Sendable {
  /// The token that the pages which show actions need, as `Authorization: Bearer TOKEN`; none by default.
  ///
  /// Health and metrics never need it.
  public var token: String?

  /// The names in the header `Host` that are answered besides addresses and `localhost`; none by default.
  ///
  /// Other names are refused, because the page of a stranger may have its name resolve to this machine.
  public var hosts: [String] = []

  /// The certificate and the private key of a server with TLS, as paths of PEM files; none by default.
  public var certificate: (certificate: String, key: String)?

  /// The beginning of the names of the stores' metrics, followed by `_`; `millrace` by default.
  public var metricsPrefix = "millrace"

  /// The version of the program, which the metric `build_info` has as its label; empty, and without that metric, by default.
  public var version = ""

  /// The labels of every metric; none by default.
  public var labels: [String: String] = [:]

  /// The longest time for one check of `/readyz`, which fails after it; 2 seconds by default.
  public var checkLimit: Duration = .seconds(2)

  /// The longest time in which a task on the pool answers `/livez`; 2 seconds by default.
  public var livenessLimit: Duration = .seconds(2)

  /// The longest time for another answer, and for a client to send a request or to take the answer; 10 seconds by default.
  public var answerLimit: Duration = .seconds(10)

  /// The number of connections; 64 by default.
  ///
  /// A further one closes the connection whose client has been slow longest, to send a request or to take an answer.
  public var connections = 64

  var clock: any Clock<Duration> = ContinuousClock()

  /// Creates the default options.
  public init() {}
}
