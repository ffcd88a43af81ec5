import Millrace

/// Random numbers that are the same each time, for one seed: SplitMix64, by Steele, Lea and Flood.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator that gives the numbers of a seed from the first on.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number, each of 64 bits as likely as every other one.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Random numbers of one seed, each of which only one of those who share it gets.
final class SharedGenerator: RandomNumberGenerator, Sendable {
  private let generator: Lock<SeededGenerator>

  init(_ generator: SeededGenerator) {
    self.generator = Lock(generator)
  }

  func next() -> UInt64 {
    generator.withLock { $0.next() }
  }
}
