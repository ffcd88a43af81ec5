import Foundation
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
  var caller: (file: StaticString, line: UInt)?
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
    caller = (file, line)
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
    case .always, .eventually, .atTheEnd, .expectation: return rule == other.rule && caller?.line == other.caller?.line
    // Their texts may contain the values that are shrunk.
    case .failure: return caller?.line == other.caller?.line
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
      \(rule) gave work to \(detail), which no seed decides; put a fake in the place of what works there, or allow it by \
      'Simulation.Options(allowing:)' where it has no effect on the world
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
      the body has not returned, and nothing is left that could continue; resume what it waits for (a gate, a held call, a \
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

/// Actions, or tasks, that wait for one another, so that none of them can continue.
struct Deadlock: CustomStringConvertible {
  let description: String

  /// Finds one among the actions of all stores; nil if there is none.
  init?(among actions: [OpenAction]) {
    var next: [RunID: [RunID]] = [:]
    for action in actions {
      guard let run = action.run else { continue }
      next[run, default: []] += action.waitsFor
      // The handler that waits for an outcome belongs to the run that sent the action.
      if let waiting = action.awaitedBy { next[waiting, default: []].append(run) }
    }
    guard let runs = Self.circle(among: actions.lazy.compactMap(\.run), next) else { return nil }
    description = Self.sentence(
      runs.map { "\($0)" }, "waits for",
      "let all actions take their keys in one order, or let no handler wait for an action that needs a key which its own action has"
    )
  }

  /// Finds one among tasks that have awaited the value of another task; nil if there is none.
  ///
  /// A task does not end before a task whose value it has awaited. So tasks in a circle have not ended, and never will.
  ///
  /// - Parameters:
  ///   - awaits: The task that each task has awaited last, by their numbers.
  ///   - name: The name of a task.
  init?(among awaits: [Int: Int], named name: (Int) -> String) {
    guard let tasks = Self.circle(among: awaits.keys.sorted(), awaits.mapValues { [$0] }) else { return nil }
    description = Self.sentence(
      tasks.map(name), "awaits the value of",
      "let no task await the value of a task that awaits its own, itself or through others")
  }

  /// - Parameters:
  ///   - names: The members of a circle, each of which waits for the next one, and the last one for the first.
  ///   - waits: The words between two of them.
  ///   - fix: The end of the sentence.
  private static func sentence(_ names: [String], _ waits: String, _ fix: String) -> String {
    let others = (names.dropFirst() + names.prefix(1)).joined(separator: ", which \(waits) ")
    return "deadlock, for \(names[0]) \(waits) \(others); \(fix)"
  }

  /// The first circle on the ways from some nodes, with each node looked at once; nil if there is none.
  private static func circle<Node: Hashable>(among nodes: some Sequence<Node>, _ next: [Node: [Node]]) -> [Node]? {
    var seen: Set<Node> = []
    for first in nodes where seen.insert(first).inserted {
      var way = [(node: first, rest: next[first, default: []][...])]
      while var last = way.popLast() {
        guard let node = last.rest.popFirst() else { continue }
        way.append(last)
        if let start = way.firstIndex(where: { $0.node == node }) { return way[start...].map(\.node) }
        if seen.insert(node).inserted { way.append((node, next[node, default: []][...])) }
      }
    }
    return nil
  }
}

/// The text on standard error when a world ends the process: by a trap, an abort, or an access to memory that is not there.
///
/// It is made before the world begins, because a process that ends so can only write.
struct CrashNotice {
  let plan: Simulation.Plan
  let origin: SimulationOrigin

  /// Whether an exhaustive search runs the world, so that the plan lacks the choices that the world makes by itself.
  private var isExplored: Bool { plan.prefix != nil }

  var text: String {
    """

    Millrace: a world of the simulation at \(origin.text) ended the process by a trap or a signal.
    To run it again: \(isExplored ? "explore again with seed: \(plan.seed), which comes to the same world" : origin.call(plan))

    """
  }

  /// Runs `body`, and has the text written if the process ends meanwhile on a thread that has adopted the runtime.
  func whileRunning<Result>(in runtime: WorldRuntime, _ body: () -> Result) -> Result {
    let text = strdup(text)
    runtime.crashText = text.map { UnsafePointer($0) }
    defer {
      runtime.crashText = nil
      free(text)
    }
    return body()
  }
}
