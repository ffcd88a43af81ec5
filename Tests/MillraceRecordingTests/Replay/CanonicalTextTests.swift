import Foundation
import Testing

@testable import MillraceRecording

/// The comparison of two states: by their encoding, but without the order of unordered values.
@Suite("Canonical text")
struct CanonicalTextTests {
  struct Point: Codable, Hashable { var x = 0 }

  enum Choice: Codable, Hashable {
    case none
    case some(Set<Int>, name: String)
  }

  class Base: Codable {
    var words: Set<String>
    init(words: Set<String>) { self.words = words }
  }

  final class Derived: Base {
    var count = 1
    override init(words: Set<String>) { super.init(words: words) }
    required init(from decoder: any Decoder) throws { try super.init(from: decoder) }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(count)
      try super.encode(to: container.superEncoder())
    }
  }

  /// Encodes a set through another value, as a wrapper does.
  struct Wrapped: Codable {
    var values: Set<Int>

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(values)
    }
  }

  /// Two sets that are equal, and are encoded in different orders.
  static func sets<Element: Hashable>(_ elements: some Sequence<Element>) -> (Set<Element>, Set<Element>) {
    let small = Set(elements)
    var large = Set<Element>(minimumCapacity: 4_096)
    large.formUnion(small)
    #expect(Array(small) != Array(large))
    return (small, large)
  }

  /// Two dictionaries that are equal, and are encoded in different orders.
  static func points(_ change: (inout [Point: [Int]]) -> Void = { _ in }) -> ([Point: [Int]], [Point: [Int]]) {
    let small = Dictionary(uniqueKeysWithValues: (0..<50).map { (Point(x: $0), [$0, -$0]) })
    var large = [Point: [Int]](minimumCapacity: 4_096)
    for (key, value) in small { large[key] = value }
    #expect(Array(small.keys) != Array(large.keys))
    change(&large)
    return (small, large)
  }

  private func areSame<Value: Encodable>(_ pair: (Value, Value)) throws -> Bool {
    try CanonicalText(pair.0) == CanonicalText(pair.1)
  }

  @Test("The order of a set's elements does not count, wherever the set stands")
  func unordered() throws {
    let (small, large) = Self.sets(0..<50)
    let (words, otherWords) = Self.sets((0..<50).map { "word \($0)" })
    #expect(try areSame((small, large)))
    #expect(try areSame(([small], [large])))
    #expect(try areSame(([small as Set<Int>?, nil], [large as Set<Int>?, nil])))
    #expect(try areSame((["a": small], ["a": large])))
    #expect(try areSame((Choice.some(small, name: "a"), Choice.some(large, name: "a"))))
    #expect(try areSame((Derived(words: words), Derived(words: otherWords))))
    #expect(try areSame((Wrapped(values: small), Wrapped(values: large))))
    #expect(try areSame(([small: 1], [large: 1])))
    #expect(try !areSame((small, large.subtracting([7]))))
    #expect(try !areSame((Choice.some(small, name: "a"), Choice.some(small, name: "b"))))
  }

  @Test("The order of a dictionary's pairs does not count, and which value belongs to which key does")
  func pairs() throws {
    #expect(try areSame(Self.points()))
    #expect(try !areSame(Self.points { ($0[Point(x: 1)], $0[Point(x: 2)]) = ($0[Point(x: 2)], $0[Point(x: 1)]) }))
    #expect(try !areSame(Self.points { $0[Point(x: 1)]?.reverse() }))
    #expect(try !areSame(([Point(x: 1): Point(x: 2)], [Point(x: 2): Point(x: 1)])))
  }

  @Test("The order of an array counts, and so does everything else")
  func ordered() throws {
    #expect(try !areSame(([1, 2], [2, 1])))
    #expect(try !areSame((["a": [1, 2]], ["a": [2, 1]])))
    #expect(try !areSame(([1, 2], [1, 2, 2])))
    #expect(try !areSame((["1"], ["1,1"])))
    #expect(try !areSame((Data([1]), Data([2]))))
    #expect(try !areSame(([true, nil], [false, nil])))
    #expect(try areSame((["b": 1.5, "a": .nan], ["a": .nan, "b": 1.5])))
  }

  @Test("Values that JSON writes in a way of its own are compared in that form")
  func special() throws {
    let base = try #require(URL(string: "http://shop.test/"))
    let relative = try #require(URL(string: "tea", relativeTo: base))
    #expect(try areSame(([relative], [relative.absoluteURL])))
    #expect(try !areSame(([relative], [base])))
    #expect(try areSame(([Decimal(15) / 10], [Decimal(1.5)])))
    #expect(try !areSame(([Decimal(1)], [Decimal(2)])))
    #expect(try !areSame(([nil], [Data(base64Encoded: "null")])))
  }

  /// Equal whatever is in it.
  struct Careless: Codable, Equatable {
    var values: [Int]
    static func == (left: Careless, right: Careless) -> Bool { true }
  }

  @Test("A part that == leaves out counts, and the order of an array in it")
  func leftOut() throws {
    #expect(
      try EncodedDifference.lines(from: Careless(values: [1, 2]), to: Careless(values: [2, 1]))
        == ["the values are equal by ==, and are encoded differently"])
    #expect(try EncodedDifference.lines(from: Careless(values: [1]), to: Careless(values: [1])) == nil)
  }
}
