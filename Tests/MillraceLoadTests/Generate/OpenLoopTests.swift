import Millrace
import MillraceTesting
import Testing

@testable import MillraceLoad

/// A loop on a test clock: time passes only where a test or a user lets it.
@Suite("OpenLoop")
struct OpenLoopTests {
  private let clock = TestClock()

  private func sender(_ target: any LoadTarget, maximum: Int = 1_000, duration: Duration = .seconds(1)) -> RequestSender
  {
    let time = TimeSource(clock)
    return RequestSender(
      targets: [target], recorder: LoadRecorder(duration: duration), inFlight: InFlight(maximum: maximum), time: time,
      origin: time.now())
  }

  private func loop(_ sender: RequestSender, rate: Double, groupSize: Int = 1) -> OpenLoop {
    OpenLoop(sender, .constant(rate), LoadOptions(duration: .seconds(1)), groupSize: groupSize)
  }

  @Test("A request is sent when it is due, and the loop waits for the time of the next one")
  func waits() {
    let sender = sender(Sudden())
    var loop = loop(sender, rate: 4)
    #expect(loop.step { false } == .wait(until: 250_000_000))
    #expect(sender.recorder.figures.counts.sent == 1)
    #expect(loop.step { false } == .wait(until: 250_000_000))
    clock.advance(by: .milliseconds(600))
    #expect(loop.step { false } == .wait(until: 750_000_000))
    #expect(sender.recorder.figures.counts.sent == 3)
    clock.advance(by: .milliseconds(150))
    #expect(loop.step { false } == .ended)
    #expect(sender.recorder.figures.counts.sent == 4)
  }

  @Test("Latency counts from the time a request was due, the uncorrected one from the time it was sent")
  func latencyFromDue() {
    let sender = sender(Sudden())
    var loop = loop(sender, rate: 4)
    clock.advance(by: .milliseconds(750))
    _ = loop.step { false }
    let figures = sender.recorder.figures
    #expect(figures.latency.max == .milliseconds(750))
    #expect(figures.latency.histogram.total == .milliseconds(750 + 500 + 250))
    #expect(figures.uncorrected.max == .zero)
  }

  @Test("Lateness is the generator's while nothing is sent, and the system's inside a send")
  func lateness() {
    let sender = sender(Sudden { [clock] number in clock.advance(by: number == 0 ? .milliseconds(600) : .zero) })
    var loop = loop(sender, rate: 4)
    // The first send takes 600 ms, in which the second and third request become due: the system's fault.
    _ = loop.step { false }
    #expect(sender.recorder.figures.ownLateness.maximum == .zero)
    #expect(sender.recorder.figures.latency.max == .milliseconds(600))
    // No action is sent in the next 200 ms; the fourth was due 50 ms before.
    clock.advance(by: .milliseconds(200))
    _ = loop.step { false }
    #expect(sender.recorder.figures.ownLateness.maximum == .milliseconds(50))
  }

  @Test("A request that is late behind one that the generator sent late is the generator's fault too")
  func latenessIsPassedOn() {
    let sender = sender(Sudden { [clock] _ in clock.advance(by: .milliseconds(10)) })
    var loop = loop(sender, rate: 4)
    clock.advance(by: .milliseconds(300))
    _ = loop.step { false }
    // The first was 300 ms late; the second, due at 250 ms, 50 ms by the generator and 10 ms by the send before it.
    #expect(sender.recorder.figures.ownLateness.total == .milliseconds(350))
    #expect(sender.recorder.figures.uncorrected.max == .milliseconds(10))
  }

  @Test("A request that is due at the limit in flight is not sent, and counts as unsent alone")
  func unsent() {
    let sender = sender(Hanging(), maximum: 2)
    var loop = loop(sender, rate: 4)
    clock.advance(by: .seconds(1))
    #expect(loop.step { false } == .ended)
    let counts = sender.recorder.figures.counts
    #expect(counts.sent == 2 && counts.unsent == 2 && counts.inFlight == 2 && counts.finished == 0)
    sender.inFlight.cancelAll()
  }

  @Test("In groups, all are counted and the latency of one of each group is measured")
  func groups() {
    let sender = sender(Sudden())
    var loop = loop(sender, rate: 10, groupSize: 4)
    #expect(loop.step { false } == .wait(until: 300_000_000))
    clock.advance(by: .seconds(1))
    #expect(loop.step { false } == .ended)
    let figures = sender.recorder.figures
    #expect(figures.counts.sent == 10 && figures.counts.finished == 10)
    #expect(figures.latency.histogram.count == 3)
  }

  @Test(
    "A call or an action that ends later counts from the time it was due, too", arguments: LaterEnd.allCases)
  func laterEnd(end: LaterEnd) async throws {
    // The first send takes 600 ms, in which the second and third request become due.
    let target = Later(clock, end) { [clock] number in clock.advance(by: number == 0 ? .milliseconds(600) : .zero) }
    let sender = sender(target)
    var loop = loop(sender, rate: 4)
    #expect(loop.step { false } == .wait(until: 750_000_000))
    try await clock.waitForSleepers(3)
    clock.advance(by: .seconds(1))
    await sender.inFlight.waitUntilIdle()
    let figures = sender.recorder.figures
    #expect(figures.counts.finished == 3)
    // All end at 1.6 s, and were due at 0, 250 and 500 ms.
    #expect(figures.latency.histogram.total == .milliseconds(1_600 + 1_350 + 1_100))
    #expect(figures.latency.max == .milliseconds(1_600))
    #expect(figures.uncorrected.histogram.total == .milliseconds(1_600 + 1_000 + 1_000))
    await target.close()
  }

  @Test("In groups the latency of one request of each group is measured where they end later, too")
  func laterGroups() async throws {
    let target = Later(clock, .call)
    let sender = sender(target)
    var loop = loop(sender, rate: 10, groupSize: 4)
    clock.advance(by: .seconds(1))
    #expect(loop.step { false } == .ended)
    try await clock.waitForSleepers(10)
    clock.advance(by: .seconds(1))
    await sender.inFlight.waitUntilIdle()
    let figures = sender.recorder.figures
    #expect(figures.counts.finished == 10)
    // The last of each group was due at 300, 700 and 900 ms; all end at 2 s.
    #expect(figures.latency.histogram.count == 3)
    #expect(figures.latency.histogram.total == .milliseconds(1_700 + 1_300 + 1_100))
  }

  @Test("When it is stopped it sends nothing more")
  func stop() {
    let sender = sender(Sudden())
    var loop = loop(sender, rate: 4)
    clock.advance(by: .seconds(1))
    #expect(loop.step { true } == .ended)
    #expect(sender.recorder.figures.counts == LoadCounts())
  }

  @Test("The warm-up sends at the first rate, and is not counted")
  func warmUp() {
    let time = TimeSource(clock)
    let target = Sudden()
    let sender = RequestSender(
      targets: [target], recorder: LoadRecorder(duration: .seconds(1)), inFlight: InFlight(maximum: 1), time: time,
      origin: time.now() + 1_000_000_000)
    var options = LoadOptions(duration: .seconds(1), warmUp: .seconds(1))
    options.seed = 1
    var loop = OpenLoop(sender, .ramp(from: 10, to: 30), options, groupSize: 1)
    clock.advance(by: .seconds(2))
    #expect(loop.step { false } == .ended)
    #expect(target.begun == 30)
    #expect(sender.recorder.figures.counts.sent == 20)
    #expect(sender.recorder.figures.latency.histogram.count == 20)
  }
}

/// A user whose requests end at once.
private final class Sudden: LoadTarget {
  private let count = Lock(0)
  private let whileSending: @Sendable (Int) -> Void

  init(whileSending: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.whileSending = whileSending
  }

  var begun: Int { count.withLock { $0 } }

  func begin(_ request: LoadRequest) -> LoadStart {
    count.withLock { $0 += 1 }
    whileSending(request.number)
    return .ended(.finished)
  }

  func close() async {}
}

/// A user whose requests never end by themselves.
private struct Hanging: LoadTarget {
  func begin(_ request: LoadRequest) -> LoadStart {
    .due {
      try? await Gate().enter()
      return LoadEnd(.cancelled)
    }
  }

  func close() async {}
}

enum LaterEnd: CaseIterable { case call, action }

/// A user whose requests end a second after they were begun, as calls or as actions of a store.
private final class Later: LoadTarget {
  private struct Sleeper: Interactor {
    let clock: TestClock

    func handle(_ deadline: TestClock.Instant, state: Int) async -> Effect<Self> {
      Effect { [clock] _ in try await clock.sleep(until: deadline) }
    }

    static func reduce(into state: inout Int, mutation: Never) {}
  }

  private let clock: TestClock
  private let end: LaterEnd
  private let whileSending: @Sendable (Int) -> Void
  private let store: Store<Sleeper>

  init(_ clock: TestClock, _ end: LaterEnd, whileSending: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.clock = clock
    self.end = end
    self.whileSending = whileSending
    store = Store(initial: 0, interactor: Sleeper(clock: clock))
  }

  func begin(_ request: LoadRequest) -> LoadStart {
    whileSending(request.number)
    let deadline = clock.now.advanced(by: .seconds(1))
    switch end {
    case .action: return .sent(store.send(deadline))
    case .call:
      return .due { [clock] in
        do { try await clock.sleep(until: deadline) } catch { return LoadEnd(.cancelled) }
        return LoadEnd(.finished)
      }
    }
  }

  func close() async {
    await store.shutdown(drainFor: .zero)
  }
}
