import Millrace
import MillraceSocketClient
import MillraceTesting
import Testing

@testable import MillraceInspector

@Suite("Durations of an inspector", .timeLimit(.minutes(1)))
struct InspectorDurationsTests {
  static let extremes: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(-1),
    .zero,
  ]

  @Test("A request for more time has any duration", arguments: extremes)
  func extendTimeout(_ time: Duration) throws {
    let listener = try DatagramListener(isAbstract: true)
    try #require(ServiceManager(environment: ["NOTIFY_SOCKET": listener.name])).extendTimeout(by: time)
    let microseconds = try #require(listener.waiting()?.split(separator: "=").last.flatMap { Int64($0) })
    #expect(microseconds > 0 && (time > .seconds(1)) == (microseconds > 1))
  }

  #if Inspector
    @Test("The limits and the delay are any duration", arguments: extremes)
    func limits(_ time: Duration) async throws {
      var options = InspectorOptions()
      (options.answerLimit, options.checkLimit, options.livenessLimit) = (time, time, time)
      options.clock = TestClock()
      let inspector = try Inspector(port: 0, options: options)
      let port = try #require(inspector.port)
      for path in ["livez", "metrics"] {
        let client = try #require(LineClient(port: UInt16(port)))
        client.send("GET /\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = await client.rest()
        if time > .zero { #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(path)") }
      }
      let stop = Task { await inspector.beginShutdown(delay: time) }
      stop.cancel()
      await stop.value
      await inspector.close()
    }
  #endif
}
