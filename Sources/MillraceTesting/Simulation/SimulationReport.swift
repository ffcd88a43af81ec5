/// The size of a simulation.
public struct SimulationReport: Sendable {
  /// The number of worlds, without those that were run to make a failing one smaller.
  public private(set) var worlds = 0

  /// The number of steps of all worlds.
  public private(set) var steps = 0

  /// A number that stands for all that happened in all of them, in its order: what ran at each step, each commit with its
  /// mutation as text, and each note.
  ///
  /// It is the same for the same seeds, in each process too, unless a text differs: with sets and dictionaries in it, set
  /// `SWIFT_DETERMINISTIC_HASHING=1` in the environment; ids of spans, which differ between processes, leave out.
  public var fingerprint: UInt64 { sum.value }

  /// A world that failed.
  public struct Failure: Sendable, CustomStringConvertible {
    /// The plan that fails, as small as it could be made.
    public let plan: SimulationPlan

    /// The failure in one sentence, without its end.
    public let sentence: String

    /// The whole text that a test fails with: the ways to run the world again, and its events.
    public let description: String
  }

  /// The failures, each of another kind or at another place, in the order of their worlds.
  public internal(set) var failures: [Failure] = []

  /// The plan of the first failure, as small as it could be made; nil if no world failed.
  public var failingPlan: SimulationPlan? { failures.first?.plan }

  /// The number of tasks that never ended although they were cancelled with their worlds; their memory is not freed.
  ///
  /// These are bodies, handlers of stores that have the world's configuration, and tasks that continue without regard to their
  /// cancellation. A task that waits for something of its own that never comes is not known.
  public private(set) var leftOverTasks = 0

  /// The same in words, a sentence a world, for the first ten worlds that have any.
  public private(set) var leftOvers: [String] = []

  private var sum = Fingerprint()

  mutating func count(_ result: WorldRun.Result) {
    worlds += 1
    steps += result.steps
    sum.add(Int(bitPattern: UInt(result.fingerprint)))
    leftOverTasks += result.leftOver.count
    if leftOvers.count < 10, let sentence = result.leftOverSentence { leftOvers.append(sentence) }
  }
}
