import Testing

@testable import Millrace

@Suite("LinkedList")
struct LinkedListTests {
  final class Link: Linked {
    let number: Int
    var previous: Link?
    var following: Link?

    init(_ number: Int) {
      self.number = number
    }
  }

  /// Something done to a list of the elements 1, 2, 3, and what is left of them.
  struct Row: Sendable, CustomTestStringConvertible {
    let removed: [Int]
    let left: [Int]

    var testDescription: String { "\(removed) removed" }
  }

  @Test(
    "Elements are removed wherever they stand, and the others keep their order",
    arguments: [
      Row(removed: [], left: [1, 2, 3]), Row(removed: [1], left: [2, 3]), Row(removed: [2], left: [1, 3]),
      Row(removed: [3], left: [1, 2]), Row(removed: [2, 1], left: [3]), Row(removed: [2, 3], left: [1]),
      Row(removed: [3, 1, 2], left: []), Row(removed: [2, 2], left: [1, 3]),
    ])
  func elementsAreRemoved(row: Row) {
    var list = LinkedList<Link>()
    let links = (1...3).map { Link($0) }
    for link in links { list.append(link) }
    for number in row.removed { list.remove(links[number - 1]) }
    #expect(list.isEmpty == row.left.isEmpty)
    #expect(list.map(\.number) == row.left)
    var popped: [Int] = []
    while let link = list.popFirst() { popped.append(link.number) }
    #expect(popped == row.left)
    #expect(list.isEmpty)
    #expect(list.last == nil)
  }

  @Test("An element that was removed can be removed again, and a list that was emptied takes elements")
  func removedTwice() {
    var list = LinkedList<Link>()
    let link = Link(1)
    list.remove(link)
    #expect(list.isEmpty)
    list.append(link)
    list.remove(link)
    list.append(link)
    #expect(list.popFirst() === link)
    #expect(list.popFirst() == nil)
  }
}
