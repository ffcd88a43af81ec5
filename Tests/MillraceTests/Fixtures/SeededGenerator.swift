import MillraceTesting

extension SeededGenerator {
  /// A number from 0 to the limit; small ones are as likely as large ones.
  mutating func nanoseconds(below limit: Int64) -> Int64 {
    Int64.random(in: 0..<limit, using: &self) >> Int64.random(in: 0...62, using: &self)
  }
}
