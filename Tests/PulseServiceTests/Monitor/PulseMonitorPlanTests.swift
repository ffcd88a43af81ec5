import Testing

@testable import Millrace
@testable import PulseService

@Suite("PulseMonitor+Plan")
struct PulseMonitorPlanTests {
  private typealias Key = PulseMonitor.Key

  private func terms(_ action: PulseMonitor.Action, every interval: Duration = .seconds(1)) throws -> PlanTerms {
    let monitor = PulseMonitor.fake(clock: ContinuousClock(), limits: .init(interval: interval))
    let terms = try #require(monitor.plan(for: action, state: PulseState()).terms)
    #expect(terms.problem == nil && terms.pace == nil)
    return terms
  }

  @Test("A sample is exclusive, with a limit")
  func sample() throws {
    let terms = try terms(.sample)
    #expect(terms.overlap == .exclusive(max: 1) && terms.key == PlanKey(Key.sample))
    #expect(terms.timeout == .seconds(1))
    #expect(!terms.mayRepeat)
  }

  @Test(
    "A probe is exclusive for its target; its pauses are a tenth of the interval, and its time is that until the next one",
    arguments: [
      (.milliseconds(50), .milliseconds(5), .milliseconds(2_250)),
      (.seconds(1), .milliseconds(100), .milliseconds(2_250)),
      (.seconds(5), .milliseconds(500), .seconds(5)), (.seconds(60), .seconds(1), .seconds(60)),
    ] as [(Duration, Duration, Duration)])
  func probe(interval: Duration, pause: Duration, timeout: Duration) throws {
    let terms = try terms(.probe(.web), every: interval)
    #expect(terms.overlap == .exclusive(max: 1) && terms.key == PlanKey(Key.probe(.web)))
    #expect(terms.timeout == timeout && terms.attemptTimeout == .milliseconds(2_250))
    #expect(terms.retry?.attempts == 3 && terms.retry?.afterCommits == false)
    #expect(terms.retry?.backoff == .exponential(initial: pause))
    #expect(terms.breaker == nil)
  }

  @Test("A target and a webhook may have times of their own, by which they are no others")
  func ownTimes() throws {
    var endpoint = Endpoint.web
    (endpoint.interval, endpoint.limit) = (.seconds(60), .seconds(9))
    let terms = try terms(.probe(endpoint))
    #expect(terms.timeout == .seconds(60) && terms.attemptTimeout == .milliseconds(9_250))
    #expect(terms.key == PlanKey(Key.probe(.web)))
    var webhook = Webhook.chat
    webhook.limit = .seconds(20)
    #expect(try self.terms(.notify(webhook, .fake(1))).attemptTimeout == .seconds(60))
    #expect(webhook == .chat && webhook.redacted.limit == .seconds(20) && endpoint.redacted.limit == .seconds(9))
  }

  @Test("Reading the rules is for the latest who asks, with a limit")
  func rules() throws {
    let terms = try terms(.readRules)
    #expect(terms.overlap == .latest(max: 1) && terms.key == PlanKey(Key.rules))
    #expect(terms.timeout == .seconds(5))
    #expect(!terms.mayRepeat)
  }

  @Test("Attempts at notices are serial for each alert and webhook, and have time for a look-up and a request")
  func notify() throws {
    let terms = try terms(.notify(.chat, .fake(1)))
    #expect(terms.overlap == .concurrent(max: 1))
    #expect(terms.key == PlanKey(Key.notices(of: Notice.fake(1).change.alert, to: .chat)))
    #expect(terms.timeout == nil && terms.attemptTimeout == .seconds(15))
    #expect(terms.retry == nil && terms.breaker == nil && terms.recovery == .abandon)
  }

  @Test("An action that is only decided has no plan")
  func decided() {
    let monitor = PulseMonitor.fake(clock: ContinuousClock())
    #expect(monitor.plan(for: .showRecordingFailure(reason: "no"), state: PulseState()).isConcurrent)
  }
}
