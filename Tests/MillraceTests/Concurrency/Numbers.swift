/// Up to fifteen numbers from 0 to 14 in order, in one word.
struct Numbers {
  private(set) var packed: UInt64 = 0

  var isEmpty: Bool { packed == 0 }

  /// The number at a place; nil where there is none.
  subscript(place: Int) -> Int? {
    let number = Int(packed >> UInt64(4 * place) & 15)
    return number == 0 ? nil : number - 1
  }

  mutating func append(_ number: Int) {
    var place = 0
    while self[place] != nil { place += 1 }
    packed |= UInt64(number + 1) << UInt64(4 * place)
  }

  mutating func insert(_ number: Int) {
    packed = packed << 4 | UInt64(number + 1)
  }

  mutating func popFirst() -> Int? {
    defer { packed >>= 4 }
    return self[0]
  }
}
