import Foundation

/// The copies of a repository's artifacts by name, and the order in which they expire.
///
/// Adding a copy takes a time that grows with the logarithm of the number of copies, for the store's lock is held meanwhile.
struct Copies: Sendable {
  private struct Expiry: Sendable, Comparable {
    let until: Duration
    let name: String

    static func < (one: Expiry, other: Expiry) -> Bool { (one.until, one.name) < (other.until, other.name) }
  }

  private var artifacts: [String: Artifact] = [:]
  /// A heap whose first entry expires first.
  ///
  /// Entries of copies that were replaced or removed stay until they are the first, or are more than half of all.
  private var expiries: [Expiry] = []
  /// The memory that the copies take, about, in bytes.
  private(set) var cost = 0
  /// The number of copies with an artifact; the others say that the upstream has none.
  private(set) var present = 0
  /// The bytes of all contents.
  private(set) var bytes = 0

  init() {}

  init(_ artifacts: [String: Artifact]) {
    for (name, artifact) in artifacts { add(artifact, as: name) }
  }

  var count: Int { artifacts.count }
  var names: Set<String> { Set(artifacts.keys) }
  /// The number of entries of the order, those of copies that are gone included.
  var storedCount: Int { expiries.count }

  subscript(name: String) -> Artifact? { artifacts[name] }

  /// Adds a copy, and removes other ones while all together take more than `capacity`, those first that expire first.
  // snippet.add
  mutating func add(_ artifact: Artifact, as name: String, capacity: Int = .max) {
    remove(name)
    artifacts[name] = artifact
    count(artifact, by: 1)
    let own = Expiry(until: artifact.until, name: name)
    while cost > capacity, let first = removeFirst() {
      if first != own, artifacts[first.name]?.until == first.until { remove(first.name) }
    }
    insert(own)
    if expiries.count > 2 * artifacts.count + 16 { removeOldEntries() }
  }
  // snippet.end

  mutating func remove(_ name: String) {
    guard let artifact = artifacts.removeValue(forKey: name) else { return }
    count(artifact, by: -1)
  }

  private mutating func count(_ artifact: Artifact, by sign: Int) {
    cost += sign * artifact.cost
    guard artifact.bytes != nil else { return }
    present += sign
    bytes += sign * Int(artifact.count)
  }

  // MARK: The heap

  private mutating func insert(_ expiry: Expiry) {
    var index = expiries.count
    expiries.append(expiry)
    while index > 0, expiry < expiries[(index - 1) / 2] {
      expiries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() -> Expiry? {
    guard let first = expiries.first, let last = expiries.popLast() else { return nil }
    guard !expiries.isEmpty else { return first }
    expiries[0] = last
    var (index, child) = (0, 1)
    while child < expiries.count {
      if child + 1 < expiries.count, expiries[child + 1] < expiries[child] { child += 1 }
      guard expiries[child] < last else { break }
      expiries.swapAt(index, child)
      (index, child) = (child, 2 * child + 1)
    }
    return first
  }

  /// Removes the entries of copies that were replaced or removed.
  private mutating func removeOldEntries() {
    // A sorted array is a heap.
    expiries = artifacts.map { Expiry(until: $1.until, name: $0) }.sorted()
  }
}

extension Copies: Equatable {
  static func == (one: Copies, other: Copies) -> Bool { one.artifacts == other.artifacts }
}

extension Copies: Codable {
  init(from decoder: any Decoder) throws {
    self.init(try [String: Artifact](from: decoder))
  }

  func encode(to encoder: any Encoder) throws { try artifacts.encode(to: encoder) }
}

extension Copies {
  /// The copies without their contents.
  var redacted: Copies {
    var copies = self
    copies.artifacts = artifacts.mapValues(\.redacted)
    return copies
  }
}
