/// The ids by which tracing systems know a run.
enum SpanID {
  /// Tells this process from the others that take part in a trace, whose stores and actions are numbered the same.
  static let processSeed = UInt64.random(in: .min ... .max)

  /// The id of a run's span; never 0, and no other run of the store has it in that trace.
  ///
  /// Each step is a bijection of 64 bits, so that actions of one store cannot meet, and others are as likely to as random
  /// numbers.
  static func of(_ run: RunID, in trace: UInt128, seed: UInt64 = processSeed) -> UInt64 {
    of(run.action.number, salt: mix(salt(trace, seed) ^ UInt64(bitPattern: Int64(run.store))))
  }

  /// A number that is not 0 and differs for each number but the last one, which no action has.
  static func of(_ number: UInt64, salt: UInt64) -> UInt64 {
    let id = mix(salt ^ number)
    return id == 0 ? mix(salt ^ .max) : id
  }

  /// The id of the trace that begins with a run to which no trace was given; never 0.
  static func trace(from root: RunID, seed: UInt64 = processSeed) -> UInt128 {
    UInt128(of(root, in: 1, seed: seed)) << 64 | UInt128(of(root, in: 2, seed: seed))
  }

  private static func salt(_ trace: UInt128, _ seed: UInt64) -> UInt64 {
    mix(mix(seed ^ UInt64(truncatingIfNeeded: trace)) ^ UInt64(truncatingIfNeeded: trace >> 64))
  }

  /// The finalizer of SplitMix64, by Steele, Lea and Flood.
  private static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
