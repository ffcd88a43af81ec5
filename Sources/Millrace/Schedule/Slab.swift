/// Values that are named by small numbers; the number of a value that was taken out is used again.
///
/// The memory is the slab's own, so that part of a value is read and changed in place. An array copies the whole value
/// first, and retains all that it refers to.
struct Slab<Element>: ~Copyable {
  /// Memory for values, with the number of those that are initialised.
  private final class Memory: ManagedBuffer<Int, Element> {
    deinit {
      withUnsafeMutablePointers { used, elements in _ = elements.deinitialize(count: used.pointee) }
    }
  }

  /// Nil before the first value.
  private var memory: ManagedBuffer<Int, Element>?

  /// The first value of the memory.
  private var elements: UnsafeMutablePointer<Element>?

  private var capacity = 0

  /// The number of values that are initialised: named, or blank.
  private var used = 0

  private var free: ContiguousArray<Int32> = []

  /// The value in place of those that were taken out, so that nothing of them is kept.
  private let blank: Element

  init(blank: Element) {
    self.blank = blank
  }

  /// The number of values.
  var count: Int { used - free.count }

  mutating func insert(_ element: consuming Element) -> Int32 {
    if let index = free.popLast() {
      address(of: index).pointee = element
      return index
    }
    if used == capacity { grow() }
    used += 1
    memory?.header = used
    let index = Int32(used - 1)
    address(of: index).initialize(to: element)
    return index
  }

  /// Takes a value out; with the last one the memory is given back, if it was much.
  mutating func remove(_ index: Int32) {
    address(of: index).pointee = blank
    free.append(index)
    if free.count == used, used > 1_024 {
      (memory, elements, capacity, used) = (nil, nil, 0, 0)
      free = []
    }
  }

  @inline(__always)
  subscript(index: Int32) -> Element {
    _read { yield address(of: index).pointee }
    _modify { yield &address(of: index).pointee }
  }

  /// The address of a value; traps for a number that was never used.
  @inline(__always)
  private func address(of index: Int32) -> UnsafeMutablePointer<Element> {
    guard let elements, UInt(bitPattern: Int(index)) < UInt(bitPattern: used) else {
      preconditionFailure("No value has had the number \(index).")
    }
    return elements + Int(index)
  }

  /// Moves the values to memory for twice as many.
  private mutating func grow() {
    capacity = max(2 * capacity, 4)
    let larger = Memory.create(minimumCapacity: capacity) { _ in 0 }
    larger.withUnsafeMutablePointerToElements { new in
      if let elements { new.moveInitialize(from: elements, count: used) }
      elements = new
    }
    memory?.header = 0
    larger.header = used
    memory = larger
  }
}

/// The name of an action in a scheduler.
@usableFromInline typealias ActionHandle = Int32

/// Lists of handles, linked through one table, so that each is taken out at once; a handle stands in one of them at most.
struct HandleLists: ~Copyable {
  typealias Handle = ActionHandle

  /// A list of handles.
  struct List {
    fileprivate(set) var first: Handle?
    fileprivate(set) var last: Handle?
    fileprivate(set) var count = 0

    var isEmpty: Bool { count == 0 }
  }

  private struct Links {
    var previous: Handle?
    var next: Handle?
  }

  private var links: ContiguousArray<Links> = []

  mutating func append(_ handle: Handle, to list: inout List) {
    while links.count <= Int(handle) { links.append(Links()) }
    let last = list.last
    links.withUnsafeMutableBufferPointer { links in
      links[Int(handle)] = Links(previous: last)
      if let last { links[Int(last)].next = handle }
    }
    if last == nil { list.first = handle }
    list.last = handle
    list.count += 1
  }

  /// Takes the handle out of the list that it stands in.
  mutating func remove(_ handle: Handle, from list: inout List) {
    let (previous, next) = links.withUnsafeMutableBufferPointer { links in
      let old = links[Int(handle)]
      if let previous = old.previous { links[Int(previous)].next = old.next }
      if let next = old.next { links[Int(next)].previous = old.previous }
      links[Int(handle)] = Links()
      return (old.previous, old.next)
    }
    if previous == nil { list.first = next }
    if next == nil { list.last = previous }
    list.count -= 1
  }

  func handle(after handle: Handle) -> Handle? { links[Int(handle)].next }

  func handle(before handle: Handle) -> Handle? { links[Int(handle)].previous }

  /// The handles of a list, in order.
  func handles(of list: List) -> [Handle] {
    var handles: [Handle] = []
    handles.reserveCapacity(list.count)
    var next = list.first
    while let handle = next {
      handles.append(handle)
      next = links[Int(handle)].next
    }
    return handles
  }

  /// Frees memory, if it is much; while no list has a handle.
  mutating func shrink() {
    if links.count > 1_024 { links = [] }
  }
}
