/// Lists of handles, linked through one table, so that each is taken out at once; a handle stands in one of them at most.
struct HandleLists {
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
    links[Int(handle)] = Links(previous: list.last)
    if let last = list.last { links[Int(last)].next = handle } else { list.first = handle }
    list.last = handle
    list.count += 1
  }

  /// Takes the handle out of the list that it stands in.
  mutating func remove(_ handle: Handle, from list: inout List) {
    let (previous, next) = (links[Int(handle)].previous, links[Int(handle)].next)
    if let previous { links[Int(previous)].next = next } else { list.first = next }
    if let next { links[Int(next)].previous = previous } else { list.last = previous }
    links[Int(handle)] = Links()
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
