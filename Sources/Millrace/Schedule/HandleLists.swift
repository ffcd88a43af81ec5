/// Lists of handles, linked through one table, so that each is taken out at once; a handle stands in one of them at most.
struct HandleLists: ~Copyable {
  typealias Handle = Scheduler.Handle

  /// One of the lists.
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

  /// Gives memory back, if it was much; while no list has a handle.
  mutating func shrink() {
    if links.count > 1_024 { links = [] }
  }
}
