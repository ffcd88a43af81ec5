/// The last elements of many, in order.
struct Ring<Element> {
  /// How many elements are kept at most.
  let capacity: Int

  private var slots: [Element] = []

  /// Where the oldest element is once all slots are taken.
  private var oldest = 0

  /// An empty ring for at least one element; room is made as it is needed.
  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// The elements, the oldest first.
  var elements: [Element] { Array(slots[oldest...] + slots[..<oldest]) }

  /// Adds an element; returns the oldest one if there was no room.
  mutating func append(_ element: Element) -> Element? {
    guard slots.count == capacity else {
      slots.append(element)
      return nil
    }
    let gone = slots[oldest]
    slots[oldest] = element
    oldest = (oldest + 1) % capacity
    return gone
  }
}
