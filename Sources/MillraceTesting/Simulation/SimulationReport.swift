/// What a simulation has run.
public struct SimulationReport: Sendable {
  /// How many worlds were run, without those that were tried to make a failing one smaller.
  public private(set) var worlds = 0

  /// How many times it was decided what runs next, in all of them.
  public private(set) var steps = 0

  /// A number that stands for all that happened in all of them, in its order: the same for the same seeds, in each process.
  public var fingerprint: UInt64 { sum.value }

  /// The plan that fails, as small as it could be made; nil if none does.
  public internal(set) var failingPlan: SimulationPlan?

  private var sum = Fingerprint()

  mutating func count(_ result: WorldRun.Result) {
    worlds += 1
    steps += result.widths.count
    sum.add(Int(bitPattern: UInt(result.fingerprint)))
  }
}
