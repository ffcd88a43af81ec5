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

  /// The plan that fails, as small as it could be made; nil if none does.
  public internal(set) var failingPlan: SimulationPlan?

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
