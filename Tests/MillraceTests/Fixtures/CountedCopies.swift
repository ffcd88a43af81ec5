import Synchronization

/// A list that is copied when it is changed while another value shares its storage, and counts these copies.
struct CountedCopies: Sendable {
  private final class Storage: @unchecked Sendable {
    var elements: [Int]

    init(_ elements: [Int]) {
      self.elements = elements
    }
  }

  private final class Counter: Sendable {
    let copies = Atomic(0)
  }

  private var storage = Storage([])
  private let counter = Counter()

  /// The number of copies that were made of this list so far, in all values that share it.
  var copies: Int { counter.copies.load(ordering: .relaxed) }

  var count: Int { storage.elements.count }

  mutating func append(_ element: Int) {
    if !isKnownUniquelyReferenced(&storage) {
      counter.copies.add(1, ordering: .relaxed)
      storage = Storage(storage.elements)
    }
    storage.elements.append(element)
  }
}
