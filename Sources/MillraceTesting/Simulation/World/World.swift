public import Millrace

/// One simulated run of a test, with its own time, choices and invariants.
///
/// All tasks of a world run on one thread, one at a time; the seed chooses the ready task that continues, at each
/// step. A step goes up to where its task waits for something or calls an actor; the turn of an actor is one step for all that
/// stands in its queue. Time stands as long as anything can run, and then moves to the next deadline of ``clock``.
///
/// **Isolation.** A world is for the tasks in it: the body, and what stores and fakes begin there. What draws or notes from
/// another thread fails the seed. When its simulation has ended, nothing that is done with a world counts any more.
public final class World: Sendable {
  /// The world of a test with the trait `.simulated(seeds:)`, in its task and the tasks that this makes; nil elsewhere.
  @TaskLocal public static var current: World?

  /// The time of this world, from 0 on; it moves by itself.
  public let clock: TestClock

  /// Whether all that happens is kept, for the text of a failure.
  let isTraced: Bool

  let runtime: WorldRuntime
  private let record: WorldRecord
  private let storeNumbers: SharedGenerator

  init(_ choices: Choices, origin: SimulationOrigin = SimulationOrigin(), isTraced: Bool = false, patience: Double) {
    let runtime = WorldRuntime(choices.plan, hops: origin.hops, allowing: origin.allowed, patience: patience)
    let record = WorldRecord(choices, runtime)
    self.runtime = runtime
    self.record = record
    storeNumbers = SharedGenerator(record.withContent { $0.choices.storeNumbers })
    self.isTraced = isTraced
    let onSleep: (@Sendable (TestClock.Instant) -> Void)?
    if isTraced {
      onSleep = { [weak runtime] in runtime?.world?.traceSleep(until: $0) }
    } else {
      onSleep = nil
    }
    clock = FailureReporter.$collector.withValue(Self.collector(record)) {
      TestClock(onSleep: onSleep, wallStart: runtime.system.wallStart, at: TestLine(#filePath, #line))
    }
    runtime.world = self
    if isTraced { record.withContent { $0.trace = Trace() } }
  }

  /// Takes what fakes, clocks and test stores that are made while it is bound fail with.
  var collector: FailureCollector { Self.collector(record) }

  private static func collector(_ record: WorldRecord) -> FailureCollector {
    FailureCollector { failure in
      var own = WorldFailure(.failure, failure.message, file: failure.file, line: failure.line)
      own.location = failure.location
      record.fail(own)
    }
  }

  /// The seed of all choices.
  public var seed: UInt64 { record.withContent { $0.choices.plan.seed } }

  /// A configuration for the stores of this world: its clock, and random numbers of its seed.
  ///
  /// All its stores draw from the same numbers, so that no two of them have the same jitter and idempotency keys.
  ///
  /// A store that was made with it is looked at after each of its commits, and cancelled when its world has ended. What it
  /// reports is a note of the world, as by ``note(_:)``, for thousands of seeds may report the same.
  public var configuration: StoreConfiguration { configuration(life: 0) }

  /// The same for the stores of a node.
  func configuration(life: NodeTasks.Life) -> StoreConfiguration {
    var configuration = StoreConfiguration(clock: clock)
    configuration.random = storeNumbers
    // The first world of a process would have a task more than the others.
    configuration.witness = WorldWitness(self, life: life)
    configuration.report = { [clock, record] incident in
      let time = clock.now.offset
      record.withContent { content in
        content.notes.append("\(time): \(incident)")
        if content.failure == nil { content.trace?.add("a store reports: \(incident)", at: time, by: .world) }
      }
    }
    return configuration
  }

  // MARK: Choices

  /// Actions that the seed chooses; of a failing seed, as few are left as fail too.
  ///
  /// - Parameters:
  ///   - count: the number of choices.
  ///   - make: makes one of them from random numbers, and from nothing else that changes.
  public func actions<Action>(_ count: Int, _ make: (inout SeededGenerator) -> Action) -> [Action] {
    (0..<max(count, 0)).compactMap { _ in
      guard var generator = choose("actions", { $0.action() }) else { return nil }
      let action = make(&generator)
      trace { "chooses the action \(ValueText.of(action, limit: 80))" }
      return action
    }
  }

  /// Actions that the seed chooses from those given; of a failing seed, as few are left as fail too.
  ///
  /// - Parameters:
  ///   - count: the number of choices; an action may be chosen again.
  ///   - candidates: the actions to choose from; an empty list gives no action.
  public func actions<Action>(_ count: Int, from candidates: [Action]) -> [Action] {
    guard !candidates.isEmpty else { return [] }
    return actions(count) { candidates[Int.random(in: 0..<candidates.count, using: &$0)] }
  }

  /// Whether a fault happens here, with a probability from 0 to 1; a failing seed is left with as few as fail too.
  ///
  /// With 0 none happens, and with 1 one always does, in a plan that was made smaller too.
  public func fault(_ probability: Double) -> Bool {
    let isFaulty = choose("fault") { $0.draw(probability: probability) }
    traceDraw(isFaulty ? "a fault" : "no fault")
    return isFaulty
  }

  /// A number from 0 up to 1, which the seed draws; a failing seed is left with 0 where it fails too.
  func part(_ alternatives: Choices.Alternatives = .none) -> Double {
    let part = Double(choose("faults") { $0.draw(upTo: Self.parts - 1, alternatives) }) / Double(Self.parts)
    noteDraw("the part \(part)")
    return part
  }

  private static let parts = 1 << 20

  /// A time that the seed chooses from a range, both ends included; a failing seed is left with the shortest where it fails too.
  public func duration(in range: ClosedRange<Duration>) -> Duration {
    let drawn = Int128(choose("duration") { $0.draw(upTo: Self.parts, .extremes) })
    let parts = Int128(Self.parts)
    let bounds = [range.lowerBound, range.upperBound].map { TestClock.Instant(offset: $0).offset.attoseconds }
    let (shortest, longest) = (bounds[0], bounds[1])
    // Not the product by itself, which the longest ranges are too long for.
    let (whole, rest) = (longest - shortest).quotientAndRemainder(dividingBy: parts)
    let duration = Duration(attoseconds: shortest + whole * drawn + rest * drawn / parts)
    traceDraw("the duration \(duration)")
    return duration
  }

  /// An element that the seed chooses; nil if there is none.
  ///
  /// A failing seed is left with the first one where it fails too.
  public func element<Element>(of elements: [Element]) -> Element? {
    if elements.isEmpty { return nil }
    let element = elements[choose("element") { $0.draw(upTo: elements.count - 1) }]
    traceDraw(ValueText.of(element, limit: 80))
    return element
  }

  /// A number of what a crash keeps, from 0 to `count`; a failing seed is left with as little as fails too.
  func drawKept(upTo count: Int) -> Int {
    let kept = choose("crash") { $0.draw(upTo: count) }
    noteDraw("\(kept) kept")
    return kept
  }

  /// Makes a choice of the task that runs, which has to be a task of the world.
  func choose<Choice: Sendable>(_ name: String, _ make: (inout Choices) -> Choice) -> Choice {
    let isOwnedHere = runtime.isOwnedHere
    if !isOwnedHere { record.fail(WorldFailure(.usedElsewhere, name)) }
    let drawer = isOwnedHere ? runtime.drawer : Choices.Drawer()
    return record.withContent {
      $0.choices.drawer = drawer
      return make(&$0.choices)
    }
  }

  // MARK: What has to hold

  /// Checks after each step of the world, from now on, that this holds.
  ///
  /// It is called on the world's thread while nothing else runs there. What it takes in is held until the world has
  /// ended.
  ///
  /// - Parameters:
  ///   - rule: the rule that has to hold, as a sentence.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - holds: whether it does.
  public func always(
    _ rule: String, file: StaticString = #filePath, line: UInt = #line, _ holds: @escaping @Sendable () -> Bool
  ) {
    watch { $0.always.append(.init(rule: rule, file: file, line: line, holds: holds)) }
  }

  /// Checks that this holds at some time from now on: within a time of the world's clock, or before its end.
  ///
  /// Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: the rule that has to hold once, as a sentence.
  ///   - time: the longest time for that; nil leaves it time until the end.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - holds: whether it does.
  public func eventually(
    _ rule: String, within time: Duration? = nil, file: StaticString = #filePath, line: UInt = #line,
    _ holds: @escaping @Sendable () -> Bool
  ) {
    let deadline = time.map { clock.now.advanced(by: $0) }
    watch { $0.await(.init(rule: rule, file: file, line: line, holds: holds), until: deadline) }
  }

  /// Checks that this holds when the body has returned and nothing is left to run.
  ///
  /// Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: the rule that has to hold, as a sentence.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  ///   - holds: whether it does.
  public func atTheEnd(
    _ rule: String, file: StaticString = #filePath, line: UInt = #line, _ holds: @escaping @Sendable () -> Bool
  ) {
    watch { $0.atTheEnd.append(.init(rule: rule, file: file, line: line, holds: holds)) }
  }

  /// Fails this seed unless the condition holds; from any thread.
  ///
  /// - Parameters:
  ///   - condition: the condition that has to hold now.
  ///   - rule: the same as a sentence.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func expect(_ condition: Bool, _ rule: String, file: StaticString = #filePath, line: UInt = #line) {
    if !condition { record.fail(WorldFailure(.expectation, rule, file: file, line: line)) }
  }

  /// Fails this seed unless the condition holds, and shows a value in the text of the failure; from any thread.
  ///
  /// Unlike a value in the sentence of the rule, it may differ between the failing world and smaller worlds that break the same rule.
  ///
  /// - Parameters:
  ///   - condition: the condition that has to hold now.
  ///   - rule: the same as a sentence.
  ///   - value: The value that the text shows, a struct by its properties. It is not asked for if the condition holds.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func expect(
    _ condition: Bool, _ rule: String, showing value: @autoclosure () -> some Sendable, file: StaticString = #filePath,
    line: UInt = #line
  ) {
    if condition { return }
    var failure = WorldFailure(.expectation, rule, file: file, line: line)
    failure.state = StateText.lines(of: value())
    record.fail(failure)
  }

  /// Writes a line into the trace that a failure shows, with the time of the world.
  public func note(_ text: String) {
    if !runtime.isOwnedHere { record.fail(WorldFailure(.usedElsewhere, "note")) }
    let line = "\(clock.now.offset): \(text)"
    record.withContent {
      $0.notes.append(line)
      $0.fingerprint.add(line)
    }
    trace { "notes: \(text)" }
  }

  func watch(_ change: (inout Invariants) -> Void) {
    record.withContent { change(&$0.invariants) }
  }

  /// Reads or changes what the world has come to.
  func withRecord<Result: Sendable>(_ body: (inout WorldRecord.Content) -> Result) -> Result {
    record.withContent(body)
  }

  func fail(_ failure: WorldFailure) {
    record.fail(failure)
  }
}
