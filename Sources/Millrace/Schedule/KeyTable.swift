/// The keys that a scheduler remembers.
///
/// A hash table with linear probing. A key is hashed once while it is remembered: the table finds what it forgets by the
/// hash that it has kept, where a dictionary hashes and compares the key again. With a dictionary in its place a run whose plan has
/// four keys (`run/full-plan`) was 5.5 % slower, and one with one key (`run/serial`) 1 %.
struct KeyTable: ~Copyable {
  typealias Index = Int32

  /// A key and its hash.
  private struct Name {
    let key: PlanKey
    let hash: Int
  }

  /// The states, and by the same indices the names: without them a state refers to nothing, so that it is copied at once.
  private var states = Slab(blank: KeyState())
  private var names = Slab(blank: Name(key: PlanKey(0), hash: 0))

  /// The index of a key at the bucket of its hash, or in the next free one behind it; -1 in a free one.
  ///
  /// A power of two of buckets, of which at least a quarter is free; none before the first key.
  private var buckets: ContiguousArray<Index> = []

  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Every key, in no order.
  var all: [Index] { buckets.filter { $0 >= 0 } }

  /// The index of a key that is remembered from now on.
  mutating func index(of key: PlanKey) -> Index {
    if 4 * (count + 1) > 3 * buckets.count { grow() }
    let hash = key.hashValue
    let bucket = bucket(of: key, hash)
    if buckets[bucket] >= 0 { return buckets[bucket] }
    let index = states.insert(KeyState())
    let same = names.insert(Name(key: key, hash: hash))
    precondition(same == index, "States and names are added and taken out together.")
    buckets[bucket] = index
    count += 1
    return index
  }

  /// The index of a key, if it is remembered.
  func existingIndex(of key: PlanKey) -> Index? {
    if isEmpty { return nil }
    let index = buckets[bucket(of: key, key.hashValue)]
    return index >= 0 ? index : nil
  }

  mutating func forget(_ index: Index) {
    if let bucket = bucket(of: index) { empty(bucket) }
    states.remove(index)
    names.remove(index)
    if count == 0, buckets.count > 1_024 { buckets = [] }
  }

  /// Remembers no key by its name; what is named by an index stays until it is forgotten.
  mutating func forgetNames() {
    buckets = []
    count = 0
  }

  /// The key of an index.
  func key(of index: Index) -> PlanKey { names[index].key }

  /// Whether this is the index of the key.
  func isIndex(_ index: Index, of key: PlanKey) -> Bool { names[index].key.isSame(as: key) }

  @inline(__always)
  subscript(index: Index) -> KeyState {
    _read { yield states[index] }
    _modify { yield &states[index] }
  }

  // MARK: Buckets

  private func home(_ hash: Int) -> Int { hash & (buckets.count - 1) }

  private func next(after bucket: Int) -> Int { (bucket + 1) & (buckets.count - 1) }

  /// The bucket that has the key, or the free one where it belongs.
  private func bucket(of key: PlanKey, _ hash: Int) -> Int {
    var bucket = home(hash)
    while buckets[bucket] >= 0 {
      if names[buckets[bucket]].hash == hash, names[buckets[bucket]].key.isSame(as: key) { return bucket }
      bucket = next(after: bucket)
    }
    return bucket
  }

  /// The bucket that has the index; nil if its name was forgotten before.
  private func bucket(of index: Index) -> Int? {
    if isEmpty { return nil }
    var bucket = home(names[index].hash)
    while buckets[bucket] >= 0 {
      if buckets[bucket] == index { return bucket }
      bucket = next(after: bucket)
    }
    return nil
  }

  /// Frees a bucket, and moves up what stands behind it only because it was taken.
  private mutating func empty(_ bucket: Int) {
    var (gap, candidate) = (bucket, next(after: bucket))
    while buckets[candidate] >= 0 {
      let home = home(names[buckets[candidate]].hash)
      if (candidate - home) & (buckets.count - 1) >= (candidate - gap) & (buckets.count - 1) {
        buckets[gap] = buckets[candidate]
        gap = candidate
      }
      candidate = next(after: candidate)
    }
    buckets[gap] = -1
    count -= 1
  }

  private mutating func grow() {
    let indices = all
    buckets = ContiguousArray(repeating: -1, count: max(2 * buckets.count, 8))
    for index in indices {
      var bucket = home(names[index].hash)
      while buckets[bucket] >= 0 { bucket = next(after: bucket) }
      buckets[bucket] = index
    }
  }
}
