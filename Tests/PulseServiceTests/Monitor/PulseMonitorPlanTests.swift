import Foundation
import Testing

@testable import Millrace
@testable import PulseService

@Suite("PulseMonitor+Plan")
struct PulseMonitorPlanTests {
  private typealias Key = PulseMonitor.Key

  private func terms(_ action: PulseMonitor.Action, every interval: Duration = .seconds(1)) throws -> PlanTerms {
    let monitor = PulseMonitor.fake(clock: ContinuousClock(), limits: .init(interval: interval))
    let terms = try #require(monitor.plan(for: action).terms)
    #expect(terms.problem == nil && terms.pace == nil)
    return terms
  }

  private static let notice = Notice(
    change: AlertChange(number: 1, alert: .init(rule: "load > 9", subject: "load"), isFiring: true), time: .init())

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
      (.milliseconds(50), .milliseconds(5), .seconds(2)), (.seconds(1), .milliseconds(100), .seconds(2)),
      (.seconds(5), .milliseconds(500), .seconds(5)), (.seconds(60), .seconds(1), .seconds(60)),
    ] as [(Duration, Duration, Duration)])
  func probe(interval: Duration, pause: Duration, timeout: Duration) throws {
    let terms = try terms(.probe(.web), every: interval)
    #expect(terms.overlap == .exclusive(max: 1) && terms.key == PlanKey(Key.probe(.web)))
    #expect(terms.timeout == timeout && terms.attemptTimeout == .seconds(2))
    #expect(terms.retry?.attempts == 3 && terms.retry?.afterCommits == false)
    #expect(terms.retry?.backoff == .exponential(initial: pause))
    #expect(terms.breaker == nil)
  }

  @Test("Reading the rules is for the latest who asks, with a limit")
  func rules() throws {
    let terms = try terms(.readRules)
    #expect(terms.overlap == .latest(max: 1) && terms.key == PlanKey(Key.rules))
    #expect(terms.timeout == .seconds(5))
    #expect(!terms.mayRepeat)
  }

  @Test("Notices are serial for each alert and webhook, are tried four times, and share the breaker of the webhook")
  func notify() throws {
    let terms = try terms(.notify(.chat, Self.notice))
    #expect(terms.overlap == .concurrent(max: 1))
    #expect(terms.key == PlanKey(Key.notices(of: Self.notice.change.alert, to: .chat)))
    #expect(terms.timeout == .seconds(60) && terms.attemptTimeout == .seconds(5))
    #expect(terms.retry?.attempts == 4 && terms.retry?.afterCommits == false)
    #expect(terms.retry?.backoff == .exponential(initial: .milliseconds(500)))
    #expect(terms.breaker == Plan.Breaker(failures: 5, within: .seconds(60), openFor: .seconds(30)))
    #expect(terms.breakerKey == PlanKey(Webhook.chat))
    #expect(terms.recovery == .handleAgain)
  }

  @Test("An action that is only decided has no plan")
  func decided() {
    let monitor = PulseMonitor.fake(clock: ContinuousClock())
    #expect(monitor.plan(for: .skip(.chat, change: 1, reason: "no")).isConcurrent)
    #expect(monitor.plan(for: .showRecordingFailure(reason: "no")).isConcurrent)
  }
}
