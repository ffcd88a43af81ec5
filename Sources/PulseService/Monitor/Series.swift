/// The newest numbers of something that is measured again and again; the oldest make room for the new.
struct Series: Codable, Sendable, Equatable {
  /// How many numbers are kept at most.
  let capacity: Int
  /// A ring once it is full: the oldest number is then at `start`.
  private var ring: [Double] = []
  private var start = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  var count: Int { ring.count }
  var last: Double? { ring.isEmpty ? nil : ring[(start + ring.count - 1) % ring.count] }

  /// All numbers kept, the oldest first.
  var values: [Double] { Array(ring[start...] + ring[..<start]) }

  mutating func append(_ value: Double) {
    if ring.count < capacity {
      ring.append(value)
    } else {
      ring[start] = value
      start = (start + 1) % capacity
    }
  }

  static func == (one: Series, other: Series) -> Bool {
    one.capacity == other.capacity && one.values == other.values
  }
}
