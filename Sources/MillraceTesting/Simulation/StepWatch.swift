import MillraceHooks
import Synchronization

/// Tells another thread whether user code of a world runs, and on which thread.
///
/// It belongs to a thread that runs one world after the other, so no two steps have the same number. The thread that runs user code alone writes. A reader takes a number that is odd for a step that has begun; as long as the number stays the
/// same, the task and the thread are those of that step.
final class StepWatch: Sendable {
  private let number = Atomic(0)
  private let task = Atomic(0)
  private let thread = Atomic<UInt>(0)

  /// Runs user code of a task: 0 for the turn of an actor, and -1 for a rule.
  func whileRunning<Result>(_ task: Int, _ body: () -> Result) -> Result {
    let last = number.load(ordering: .relaxed)
    self.task.store(task, ordering: .relaxed)
    thread.store(millrace_this_thread(), ordering: .relaxed)
    number.store(last + 1, ordering: .releasing)
    defer { number.store(last + 2, ordering: .releasing) }
    return body()
  }

  /// A step that has not ended.
  struct Step: Equatable {
    let number: Int
    let task: Int
    let thread: UInt
  }

  /// The step that runs; nil if none does.
  var step: Step? {
    let number = number.load(ordering: .acquiring)
    guard !number.isMultiple(of: 2) else { return nil }
    return Step(number: number, task: task.load(ordering: .relaxed), thread: thread.load(ordering: .relaxed))
  }
}

/// Finds a step that does not end, by looking at it at regular intervals.
///
/// A debugger that stops the process stops the looks as well, so that a breakpoint does not count.
struct StepLimit {
  enum Verdict {
    /// The step has used so much processor time.
    case computes
    /// The step has used none for so long.
    case blocks
  }

  /// The number of looks for the whole time.
  static let looks = 10

  private var step: StepWatch.Step?
  private var start: Int64 = 0
  private var last: Int64 = 0
  private var idleLooks = 0

  /// The verdict on the step that runs now; nil if it may continue.
  ///
  /// - Parameters:
  ///   - limit: the processor time, or the time without any, in nanoseconds.
  ///   - used: the processor time of a thread.
  mutating func look(at step: StepWatch.Step?, limit: Int64, _ used: (UInt) -> Int64) -> Verdict? {
    guard let step else {
      self.step = nil
      return nil
    }
    let now = used(step.thread)
    guard step == self.step else {
      (self.step, start, last, idleLooks) = (step, now, now, 0)
      return nil
    }
    if now - start >= limit { return .computes }
    // A thread that is woken now and then only to wait again computes nothing.
    idleLooks = now - last < limit / 1_000 ? idleLooks + 1 : 0
    last = now
    return idleLooks >= Self.looks ? .blocks : nil
  }
}
