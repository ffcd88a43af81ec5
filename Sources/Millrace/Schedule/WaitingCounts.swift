/// The waiting actions of each limit's key, and the key that has the most: for ``StoreConfiguration/Overflow/dropNewestOfFullestKey``.
///
/// Keys with equally many actions stand in one list, so that each addition and removal moves one key to the list beside its
/// own, in constant time.
struct WaitingCounts: ~Copyable {
  typealias Handle = ActionHandle
  typealias List = HandleLists.List

  /// The actions of each key, in the order in which they began to wait.
  private var actions = HandleLists()
  private var actionsOfKey: [List] = []

  /// The keys that have one action, two actions, and so on, at the indices 1, 2, and so on.
  private var keys = HandleLists()
  private var keysWithCount: [List] = [List()]

  /// The largest number of actions of a key.
  private(set) var most = 0

  /// The number of actions of a key.
  func count(of key: Int32) -> Int {
    Int(key) < actionsOfKey.count ? actionsOfKey[Int(key)].count : 0
  }

  /// The newest action of the key that has the most; of several such keys, of the one that was the last to have that many.
  var newestOfFullestKey: Handle? {
    keysWithCount[most].last.flatMap { actionsOfKey[Int($0)].last }
  }

  mutating func add(_ handle: Handle, of key: Int32) {
    while actionsOfKey.count <= Int(key) { actionsOfKey.append(List()) }
    let count = actionsOfKey[Int(key)].count
    actions.append(handle, to: &actionsOfKey[Int(key)])
    move(key, from: count, to: count + 1)
  }

  mutating func remove(_ handle: Handle, of key: Int32) {
    let count = actionsOfKey[Int(key)].count
    actions.remove(handle, from: &actionsOfKey[Int(key)])
    move(key, from: count, to: count - 1)
    if most == 0 { shrink() }
  }

  private mutating func move(_ key: Int32, from old: Int, to new: Int) {
    while keysWithCount.count <= new { keysWithCount.append(List()) }
    if old > 0 { keys.remove(key, from: &keysWithCount[old]) }
    if new > 0 { keys.append(key, to: &keysWithCount[new]) }
    most = max(most, new)
    if keysWithCount[most].isEmpty { most = new }
  }

  /// Frees memory, if it is much; while no action waits.
  private mutating func shrink() {
    actions.shrink()
    keys.shrink()
    if actionsOfKey.count > 1_024 { actionsOfKey = [] }
    if keysWithCount.count > 1_024 { keysWithCount = [List()] }
  }
}
