/// An effect was iterated as a plain sequence.
public struct EffectError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The mistake as a sentence, with the fix.
  public var description: String {
    "An effect has no state of its own to run on; return it from `handle`, iterate `effect.mutations(state:)`, "
      + "or map it with `mapMutations` rather than with the operators of sequences."
  }
}
