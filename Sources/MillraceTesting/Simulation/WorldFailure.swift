import Millrace

/// A failure in one world.
struct WorldFailure: Sendable {
  /// In what way; a plan is shrunk as long as the same rule is broken in the same way.
  enum Kind: Hashable {
    case always, eventually, atTheEnd, expectation
    /// The body threw, or a fake or a test store in the world failed.
    case bodyThrew, failure
    /// An expectation of Swift Testing, or an assertion of XCTest, does not hold.
    case issue, assertion
    case sleepEscaped, workEscaped, threadEscaped, commitEscaped, mainIsBusy, usedElsewhere, sharedActor
    case standsStill, doesNotEnd, noHooks
    /// A step does not end; after it no world runs in the process.
    case stepComputes, stepBlocks, givenUp
  }

  let kind: Kind
  /// The rule that is broken, or the error; a sentence without its end.
  let rule: String
  /// The source location; nil where only the body has one.
  var place: (file: StaticString, line: UInt)?
  /// The source location, if Swift Testing has given one.
  var location: TestLocation?
  /// The function by which work left the world, the time in which a step did not end, or the nodes that share an actor.
  private var detail = ""
  /// The parts of the state that broke the rule, if it is one about a store.
  var state: [String] = []
  /// The type of the error that the body threw, and the case if that is an enum; its parts may tell of what is shrunk.
  private var thrown: String?

  init(_ kind: Kind, _ rule: String = "", file: StaticString, line: UInt) {
    self.kind = kind
    self.rule = rule
    place = (file, line)
  }

  init(_ kind: Kind, _ rule: String = "", at location: TestLocation? = nil) {
    self.kind = kind
    self.rule = rule
    self.location = location
  }

  /// The subject of its sentence is a task, or a rule.
  init(_ kind: Kind, by subject: String, _ detail: String) {
    self.init(kind, subject)
    self.detail = detail
  }

  /// The body threw this.
  init(thrown error: any Error) {
    self.init(.bodyThrew, "\(error)")
    thrown = "\(String(reflecting: type(of: error))).\(CaseName.of(error))"
  }

  /// Whether the other one is this one in a smaller world.
  func isLike(_ other: WorldFailure) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .always, .eventually, .atTheEnd, .expectation: return rule == other.rule && place?.line == other.place?.line
    // Their texts may contain the values that are shrunk.
    case .failure: return place?.line == other.place?.line
    case .issue: return location == other.location
    case .bodyThrew: return thrown == other.thrown
    case .assertion, .sleepEscaped, .workEscaped, .threadEscaped, .commitEscaped, .mainIsBusy, .usedElsewhere,
      .sharedActor,
      .standsStill, .doesNotEnd, .noHooks, .stepComputes, .stepBlocks, .givenUp:
      return true
    }
  }

  /// Whether smaller worlds may be tried; XCTest would show each failure of each of them, and after some no world runs.
  var mayBeRepeated: Bool { kind != .assertion && !endsAllWorlds }

  /// Whether it was found when nothing could continue, so that actions which have not ended may be its cause.
  var isAboutTheEnd: Bool { [.standsStill, .atTheEnd, .eventually].contains(kind) }

  /// Whether no further world can run.
  var endsAllWorlds: Bool { [.stepComputes, .stepBlocks, .givenUp].contains(kind) }

  /// The failure, with the fix where one is known.
  var sentence: String {
    switch kind {
    case .always: "this does not hold always: \(rule)"
    case .eventually: "this never came to hold: \(rule)"
    case .atTheEnd: "this does not hold at the end: \(rule)"
    case .expectation: "this does not hold: \(rule)"
    case .bodyThrew: "the body threw \(rule)"
    case .failure, .issue: rule
    case .assertion: "an assertion of XCTest failed in it: \(rule)"
    case .sleepEscaped:
      """
      \(rule) sleeps with a tolerance on a clock of the system, which another thread wakes when no seed decides; sleep without a tolerance, \
      or give what sleeps the world's clock
      """
    case .workEscaped:
      """
      \(rule) gave work to \(detail), which no seed decides; put a fake in the place of what works there, or allow it with \
      'allowing:' where it has no effect on the world
      """
    case .threadEscaped:
      """
      \(rule) was resumed by another thread (a thread, a dispatch queue, a socket, a file), which no seed decides; put a fake in \
      the place of what works there
      """
    case .commitEscaped:
      """
      the store of \(rule) was changed on another thread (a thread, a dispatch queue, a task from outside of the world), which no \
      seed decides; send from tasks of the world, and put a fake in the place of what works there
      """
    case .mainIsBusy:
      """
      \(rule) waits for the main actor, which has other work and does not come to it; let nothing block the main thread, and wait \
      for the simulation with await
      """
    case .usedElsewhere:
      """
      the world's '\(rule)' was called on another thread, where no seed decides when; call it in tasks of the world
      """
    case .sharedActor:
      """
      the actor \(rule) was called by tasks of the nodes \(detail), so a crash of one may keep it from the other; make an actor in each \
      node, and let them talk by a class with a lock, such as a fake gateway
      """
    case .standsStill:
      """
      the body has not returned, and nothing is left that could go on; resume what it waits for (a gate, a held call, a \
      continuation), or put a fake in the place of what works on another thread
      """
    case .noHooks:
      """
      the runtime of this process does not tell of the tasks that it enqueues, so that no seed can decide their order; simulate with \
      the concurrency runtime of a Swift toolchain for Linux or macOS
      """
    case .stepComputes:
      """
      a step of \(rule) has used \(detail) of processor time and has not ended; end its loop, or suspend in it \
      (await Task.yield()). Nothing can end the step from outside, so no further world runs in this process
      """
    case .stepBlocks:
      """
      a step of \(rule) has blocked its thread for \(detail); wait with await, and not for a semaphore, a lock or a \
      thread. Nothing can end the step from outside, so no further world runs in this process
      """
    case .givenUp:
      "no world runs in this process any more, because a step of an earlier world did not end; mend that one, which has failed"
    case .doesNotEnd:
      "it does not come to an end within \(rule) steps; end what goes round in circles, or give more steps"
    }
  }
}
