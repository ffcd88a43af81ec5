/// Values that are named by small numbers; the number of a value that was taken out is used again.
struct Slab<Element> {
  private var elements: ContiguousArray<Element> = []
  private var free: ContiguousArray<Int32> = []

  /// What stands where nothing is named, so that nothing that was taken out is kept.
  private let blank: Element

  init(blank: Element) {
    self.blank = blank
  }

  /// How many values there are.
  var count: Int { elements.count - free.count }

  mutating func insert(_ element: Element) -> Int32 {
    if let index = free.popLast() {
      elements[Int(index)] = element
      return index
    }
    elements.append(element)
    return Int32(elements.count - 1)
  }

  /// Takes a value out; with the last one the memory is given back, if it was much.
  mutating func remove(_ index: Int32) {
    elements[Int(index)] = blank
    free.append(index)
    if free.count == elements.count, free.count > 1_024 {
      elements = []
      free = []
    }
  }

  subscript(index: Int32) -> Element {
    _read { yield elements[Int(index)] }
    _modify { yield &elements[Int(index)] }
  }
}
