/// One method of a gateway that is faked: a ``FakeCall`` or a ``FakeStream``.
package protocol FakeChannel: AnyObject, Sendable {
  /// Reports what is left, and lets go what is held.
  func end()

  /// Waits until all that was reported before has been recorded for the test.
  func settle() async

  /// Takes the times of the log from this clock, from now on.
  func use(clock: any Clock<Duration>)

  /// Keeps so many calls in the log.
  func keep(_ size: FakeLogSize)

  /// Lets calls meet these faults; nil ends that.
  func inject(_ faults: FakeFaults?)
}

/// Finds the fakes in a value.
package enum FakeChannels {
  /// How many values within values are looked into.
  private static var depth: Int { 6 }

  /// Those among the stored properties of a value, and of the values in these; each once, in order of declaration.
  package static func of(_ value: Any) -> [any FakeChannel] {
    var found: [any FakeChannel] = []
    collect(from: value, into: &found, depth: 0)
    return found
  }

  private static func collect(from value: Any, into found: inout [any FakeChannel], depth: Int) {
    if let channel = value as? any FakeChannel {
      if !found.contains(where: { $0 === channel }) { found.append(channel) }
      return
    }
    guard depth < Self.depth else { return }
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
      for (_, child) in current.children { collect(from: child, into: &found, depth: depth + 1) }
      mirror = current.superclassMirror
    }
  }
}
