public import Millrace

/// What one simulated run of a test has to itself: its time, its choices and its invariants.
///
/// All tasks of a world run on one thread, one at a time; which of those that are ready goes on is the seed's choice, at each
/// suspension. Time stands as long as anything can run, and then moves to the next deadline of ``clock``.
///
/// **Isolation.** A world is for the tasks in it: the body, and what stores and fakes begin there. Nothing of it may be used by
/// others, or after the body's simulation has ended.
public final class World: @unchecked Sendable {
  /// The time of this world, from 0 on; it moves by itself.
  public let clock = TestClock()

  let queue = JobQueue()
  private(set) var choices: Choices
  private(set) var failure: WorldFailure?
  private(set) var notes: [String] = []
  private(set) var steps = Fingerprint()
  private(set) var watch = Invariants()
  var isBodyOver = false

  init(_ plan: SimulationPlan) {
    choices = Choices(plan)
  }

  /// The seed of all choices.
  public var seed: UInt64 { choices.plan.seed }

  /// A configuration for the stores of this world: its clock, and random numbers of its seed.
  public var configuration: StoreConfiguration {
    var configuration = StoreConfiguration(clock: clock)
    configuration.random = SeededGenerator(seed: seed)
    // The first world of a process would have a task more than the others.
    configuration.isSpellingChecked = false
    return configuration
  }

  // MARK: Choices

  /// Actions that the seed chooses; of a failing seed, as few are left as fail too.
  ///
  /// - Parameters:
  ///   - count: how many are chosen.
  ///   - make: makes one of them from random numbers, and from nothing else that changes.
  public func actions<Action>(_ count: Int, _ make: (inout SeededGenerator) -> Action) -> [Action] {
    (0..<max(count, 0)).compactMap { _ in
      guard var generator = choices.action() else { return nil }
      return make(&generator)
    }
  }

  /// Actions that the seed chooses from those given; of a failing seed, as few are left as fail too.
  ///
  /// - Parameters:
  ///   - count: how many are chosen; the same one may be chosen again.
  ///   - candidates: what is chosen from; none gives no action.
  public func actions<Action>(_ count: Int, from candidates: [Action]) -> [Action] {
    guard !candidates.isEmpty else { return [] }
    return actions(count) { candidates[Int.random(in: 0..<candidates.count, using: &$0)] }
  }

  /// Whether a fault happens here, with a probability from 0 to 1; a failing seed is left with as few as fail too.
  public func fault(_ probability: Double) -> Bool {
    choices.draw(probability: probability)
  }

  /// A number from 0 up to 1, which the seed draws; a failing seed is left with 0 where it fails too.
  func part() -> Double {
    Double(choices.draw(upTo: Self.parts - 1)) / Double(Self.parts)
  }

  private static let parts = 1 << 20

  /// A time that the seed chooses from a range, both ends included; a failing seed is left with the shortest where it fails too.
  public func duration(in range: ClosedRange<Duration>) -> Duration {
    range.lowerBound + (range.upperBound - range.lowerBound) * choices.draw(upTo: Self.parts) / Self.parts
  }

  /// One of these, as the seed chooses; nil if there is none.
  ///
  /// A failing seed is left with the first one where it fails too.
  public func element<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[choices.draw(upTo: elements.count - 1)]
  }

  // MARK: What has to hold

  /// Says that this must hold after each step of the world, from now on.
  ///
  /// It is called on the world's thread while nothing else runs there. What it takes in is held until the world has
  /// ended.
  ///
  /// - Parameters:
  ///   - rule: what has to hold, as a sentence.
  ///   - holds: whether it does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func always(_ rule: String, file: StaticString = #filePath, line: UInt = #line, _ holds: @escaping () -> Bool)
  {
    watch.always.append(.init(rule: rule, file: file, line: line, holds: holds))
  }

  /// Says that this must hold at some time from now on: within a time of the world's clock, or before its end.
  ///
  /// Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: what has to hold once, as a sentence.
  ///   - time: how long that may take; nil leaves it time until the end.
  ///   - holds: whether it does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func eventually(
    _ rule: String, within time: Duration? = nil, file: StaticString = #filePath, line: UInt = #line,
    _ holds: @escaping () -> Bool
  ) {
    let invariant = Invariants.Invariant(rule: rule, file: file, line: line, holds: holds)
    watch.eventually.append((invariant, time.map { clock.now.advanced(by: $0) }))
  }

  /// Says that this must hold when the body has returned and nothing is left to run.
  ///
  /// Otherwise as ``always(_:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - rule: what has to hold, as a sentence.
  ///   - holds: whether it does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func atTheEnd(
    _ rule: String, file: StaticString = #filePath, line: UInt = #line, _ holds: @escaping () -> Bool
  ) {
    watch.atTheEnd.append(.init(rule: rule, file: file, line: line, holds: holds))
  }

  /// Fails this seed unless the condition holds.
  ///
  /// - Parameters:
  ///   - condition: what has to hold here and now.
  ///   - rule: the same as a sentence.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  public func expect(_ condition: Bool, _ rule: String, file: StaticString = #filePath, line: UInt = #line) {
    if !condition { fail(WorldFailure(.expectation, rule, file: file, line: line)) }
  }

  /// Writes a line into the trace that a failure shows, with the time of the world.
  public func note(_ text: String) {
    let line = "\(clock.now.offset): \(text)"
    notes.append(line)
    steps.add(line)
  }

  // MARK: Running

  /// Keeps the first failure; the others may follow from it.
  func fail(_ failure: WorldFailure) {
    if self.failure == nil { self.failure = failure }
  }

  /// Runs one of the jobs that are ready; the plan says which.
  func step() {
    let choice = choices.step(among: queue.ready.count)
    let job = queue.run(at: choice)
    steps.add(choice)
    steps.add(job.task)
  }

  /// Checks what has to hold after a step.
  func check() {
    if failure == nil, let broken = watch.brokenAfterStep(at: clock.now) { fail(broken) }
  }

  /// Checks what has to hold at the end.
  func checkEnd() {
    if failure == nil, let broken = watch.brokenAtTheEnd() { fail(broken) }
  }
}
