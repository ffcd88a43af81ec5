import Millrace

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
