/// The newest numbers of something that is measured again and again; the oldest make room for the new.
struct Series: Codable, Sendable, Equatable {
  /// The largest number of values.
  let capacity: Int
  /// A ring once it is full: the oldest number is then at `start`.
  private var ring: [Double] = []
  private var start = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  private enum CodingKeys: CodingKey {
    case capacity, ring, start
  }

  /// Refuses a ring that no series can have.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    capacity = try container.decode(Int.self, forKey: .capacity)
    ring = try container.decode([Double].self, forKey: .ring)
    start = try container.decode(Int.self, forKey: .start)
    try container.check(.capacity, capacity >= 1, "A series keeps one number at least.")
    try container.check(.ring, ring.count <= capacity, "A series keeps no more numbers than its capacity.")
    try container.check(
      .ring, ring.allSatisfy((0...Double.largestNumber).contains), "It is a number that was measured.")
    try container.check(
      .start, start == 0 || (start < ring.count && ring.count == capacity), "A series starts within its ring.")
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
