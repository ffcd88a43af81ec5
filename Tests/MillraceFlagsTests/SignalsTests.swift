import Foundation
import MillraceFlags
import Testing

@Suite("The signals of a process", .timeLimit(.minutes(2)))
struct SignalsTests {
  @Test("A process whose threads of the pool are blocked ends at its limit after SIGTERM, and says why")
  func blockedPool() async throws {
    let ended = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      let signals = Signals(stop: StopRequest(), limit: .milliseconds(100))
      for _ in 0..<64 { Task.detached { while true {} } }
      kill(getpid(), SIGTERM)
      while true {}
      withExtendedLifetime(signals) {}
    }
    let text = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
    #expect(text.contains("The process has not ended within 0.1 seconds after a signal"), "\(text)")
  }

  @Test("A limit ends no process that takes signals no longer")
  func inOrder() async {
    // By the alarm, which comes later than the limit would.
    await #expect(processExitsWith: .signal(SIGALRM)) {
      let stop = StopRequest()
      var signals: Signals? = Signals(stop: stop, limit: .milliseconds(100))
      kill(getpid(), SIGTERM)
      await stop.wait()
      withExtendedLifetime(signals) {}
      signals = nil
      alarm(1)
      while true { pause() }
    }
  }
}
