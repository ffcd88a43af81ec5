import Testing

@testable import Millrace

@Suite("Slab")
struct SlabTests {
  private final class Value {
    let number: Int

    init(_ number: Int) {
      self.number = number
    }
  }

  /// Refers to values without keeping them.
  private struct Witness {
    weak var value: Value?
  }

  @Test("The number of a value that was taken out is used again, and every other value keeps its own")
  func numbersAreUsedAgain() {
    var slab = Slab<Value?>(blank: nil)
    let numbers = (0..<100).map { slab.insert(Value($0)) }
    for number in numbers where number % 3 == 0 { slab.remove(number) }
    let again = (100..<134).map { slab.insert(Value($0)) }
    #expect(Set(again) == Set(numbers.filter { $0 % 3 == 0 }))
    for (place, number) in numbers.enumerated() where number % 3 != 0 {
      let value = slab[number]?.number
      #expect(value == place)
    }
    let count = slab.count
    #expect(count == 100)
  }

  @Test("A value is released when it is taken out, and the others with the slab")
  func valuesAreReleased() {
    var witnesses: [Witness] = []
    do {
      var slab = Slab<Value?>(blank: nil)
      for number in 0..<2_000 {
        let value = Value(number)
        witnesses.append(Witness(value: value))
        _ = slab.insert(value)
      }
      for number in 0..<1_000 as Range<Int32> { slab.remove(number) }
      #expect(witnesses.prefix(1_000).allSatisfy { $0.value == nil })
      #expect(witnesses.dropFirst(1_000).allSatisfy { $0.value != nil })
      _ = slab.insert(nil)
    }
    #expect(witnesses.allSatisfy { $0.value == nil })
  }

  @Test("A slab that had many values begins anew when the last one is taken out")
  func memoryIsGivenBack() {
    var slab = Slab<Value?>(blank: nil)
    for number in 0..<2_000 { _ = slab.insert(Value(number)) }
    for number in 0..<2_000 as Range<Int32> { slab.remove(number) }
    let count = slab.count
    let first = slab.insert(Value(7))
    let value = slab[first]?.number
    #expect(count == 0)
    #expect(first == 0)
    #expect(value == 7)
  }
}
