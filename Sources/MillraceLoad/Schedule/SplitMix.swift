#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Random numbers that are the same for the same seed: SplitMix64, by Steele, Lea and Flood (2014).
struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to 1, less than 1.
  mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// An exponentially distributed number with the mean 1.
  mutating func exponential() -> Double {
    -log1p(-unit())
  }
}
