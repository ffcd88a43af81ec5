/// The difference between two values of one type, a line for each part that differs.
///
/// ```
///   user.name: "Ada" → "Grace"
///   items[2]: removed "x"
///   tags: added "new"
///   status: idle → loaded(["a"])
///   … and 12 more
/// ```
///
/// Parts that are `Equatable` are the same where `==` says so. Others are looked into: structs, tuples, payloads of one
/// case, optionals, arrays, sets and dictionaries. Of arrays the common beginning and the common end are left out, the rest
/// goes by index. An object is the same as itself alone, unless it is `Equatable`; it is never looked into, so that a cycle
/// does no harm. What has a description of its own is shown by that, unless it is the whole, or reads the same. Sets and
/// dictionaries are sorted by the texts of their elements and keys.
///
/// **Cost.** Of the size of what differs, and of what is not `Equatable`.
package struct ValueDifference: CustomStringConvertible {
  /// The bounds of the text.
  package struct Limits: Sendable {
    /// Lines; the rest is counted in one more.
    package var lines: Int

    /// Characters of one value; of two long strings the parts around the first difference are shown.
    package var characters: Int

    /// Steps of a path; what lies deeper is shown as a whole, and is the same if it reads the same and no `==` denies it.
    package var depth: Int

    /// Limits that suit a log.
    package init(lines: Int = 20, characters: Int = 80, depth: Int = 16) {
      self.lines = lines
      self.characters = characters
      self.depth = depth
    }
  }

  /// The lines, without indentation.
  package let lines: [String]

  /// Whether nothing differs.
  package var isEmpty: Bool { lines.isEmpty }

  /// The lines, each indented by two spaces.
  package var description: String {
    lines.map { "  \($0)" }.joined(separator: "\n")
  }

  /// Compares two values.
  package init<Value>(from old: Value, to new: Value, limits: Limits = Limits()) {
    var walk = DifferenceWalk(limits: limits)
    walk.compare(old, new, at: "", depth: 0)
    lines = walk.report
  }
}

/// The comparing of two values part by part.
private struct DifferenceWalk {
  private let limits: ValueDifference.Limits
  private var lines: [String] = []
  private var count = 0

  init(limits: ValueDifference.Limits) {
    self.limits = limits
  }

  /// The lines, and how many more there are.
  var report: [String] {
    count > lines.count ? lines + ["… and \(count - lines.count) more"] : lines
  }

  /// Adds what differs between two values.
  ///
  /// - Parameters:
  ///   - path: where they stand, such as `items[2].name`; empty for the whole.
  ///   - depth: the number of steps of the path.
  mutating func compare(_ old: Any, _ new: Any, at path: String, depth: Int) {
    let verdict = DifferenceWalk.isEqual(old, new)
    if verdict == true { return }
    let before = count
    if type(of: old) == type(of: new), depth < limits.depth {
      lookInto(old, new, at: path, depth)
    } else {
      change(old, new, at: path)
    }
    if verdict == false, count == before { add(path, "differs, though it reads the same") }
  }

  /// The result of `==`, or of a comparison of identities for objects; nil if the parts have to be compared.
  private static func isEqual(_ old: Any, _ new: Any) -> Bool? {
    if type(of: old) is any AnyObject.Type, type(of: new) is any AnyObject.Type,
      old as AnyObject === new as AnyObject
    {
      return true
    }
    guard let old = old as? any Equatable else { return nil }
    return isEqual(old, new)
  }

  private static func isEqual<Value: Equatable>(_ old: Value, _ new: Any) -> Bool? {
    guard let new = new as? Value else { return nil }
    return old == new
  }

  // MARK: By kind

  private mutating func lookInto(_ old: Any, _ new: Any, at path: String, _ depth: Int) {
    let (oldMirror, newMirror) = (Mirror(reflecting: old), Mirror(reflecting: new))
    guard oldMirror.displayStyle == newMirror.displayStyle else { return change(old, new, at: path) }
    switch oldMirror.displayStyle {
    case .optional:
      guard let (_, oldPart) = oldMirror.children.first, let (_, newPart) = newMirror.children.first else {
        return change(old, new, at: path)
      }
      compare(oldPart, newPart, at: path, depth: depth + 1)
    case .collection: compareElements(oldMirror, newMirror, at: path, depth)
    case .set: compareMembers(oldMirror, newMirror, at: path)
    case .dictionary: comparePairs(oldMirror, newMirror, at: path, depth)
    case .class, .foreignReference: change(old, new, at: path)
    case .struct, .tuple, .enum, nil: compareParts((old, oldMirror), (new, newMirror), at: path, depth)
    @unknown default: change(old, new, at: path)
    }
  }

  private mutating func compareParts(
    _ old: (value: Any, mirror: Mirror), _ new: (value: Any, mirror: Mirror), at path: String, _ depth: Int
  ) {
    let (oldParts, newParts) = (Array(old.mirror.children), Array(new.mirror.children))
    guard !oldParts.isEmpty, oldParts.map(\.label) == newParts.map(\.label),
      !readsDifferently(old.value, new.value, depth)
    else { return change(old.value, new.value, at: path) }
    for (oldPart, newPart) in zip(oldParts, newParts) {
      let name = oldPart.label.map { $0.first == "." ? String($0.dropFirst()) : $0 } ?? ""
      compare(oldPart.value, newPart.value, at: path.isEmpty ? name : "\(path).\(name)", depth: depth + 1)
    }
  }

  /// Whether two values describe themselves, and differently, so that each is shown as a whole; not the outermost values.
  private func readsDifferently(_ old: Any, _ new: Any, _ depth: Int) -> Bool {
    depth > 0 && ValueText.isDescribed(old) && text(old) != text(new)
  }

  private mutating func compareElements(_ old: Mirror, _ new: Mirror, at path: String, _ depth: Int) {
    var (oldPart, newPart) = (Array(old.children.map(\.value))[...], Array(new.children.map(\.value))[...])
    while let oldOne = oldPart.first, let newOne = newPart.first, isSame(oldOne, newOne, depth) {
      oldPart.removeFirst()
      newPart.removeFirst()
    }
    while let oldOne = oldPart.last, let newOne = newPart.last, isSame(oldOne, newOne, depth) {
      oldPart.removeLast()
      newPart.removeLast()
    }
    // Both begin at the same index.
    for index in oldPart.startIndex..<max(oldPart.endIndex, newPart.endIndex) {
      let element = "\(path)[\(index)]"
      switch (oldPart.indices.contains(index), newPart.indices.contains(index)) {
      case (true, true): compare(oldPart[index], newPart[index], at: element, depth: depth + 1)
      case (true, false): add(element, "removed \(text(oldPart[index]))")
      default: add(element, "added \(text(newPart[index]))")
      }
    }
  }

  /// Whether comparing two elements would add no line.
  private func isSame(_ old: Any, _ new: Any, _ depth: Int) -> Bool {
    if let verdict = DifferenceWalk.isEqual(old, new) { return verdict }
    var walk = DifferenceWalk(limits: limits)
    walk.compare(old, new, at: "", depth: depth + 1)
    return walk.count == 0
  }

  private mutating func compareMembers(_ old: Mirror, _ new: Mirror, at path: String) {
    let oldMembers = Set(old.children.compactMap { hashable($0.value) })
    let newMembers = Set(new.children.compactMap { hashable($0.value) })
    for removed in texts(oldMembers.subtracting(newMembers)) { add(path, "removed \(removed)") }
    for added in texts(newMembers.subtracting(oldMembers)) { add(path, "added \(added)") }
  }

  private func texts(_ members: Set<AnyHashable>) -> [String] {
    members.map { text($0.base) }.sorted()
  }

  private mutating func comparePairs(_ old: Mirror, _ new: Mirror, at path: String, _ depth: Int) {
    let (oldPairs, newPairs) = (pairs(old), pairs(new))
    let keys = Set(oldPairs.keys).union(newPairs.keys).map { (key: $0, text: text($0.base)) }
    for (key, text) in keys.sorted(by: { $0.text < $1.text }) {
      let element = "\(path)[\(text)]"
      switch (oldPairs[key], newPairs[key]) {
      case (let old?, let new?): compare(old, new, at: element, depth: depth + 1)
      case (let old?, nil): add(element, "removed \(self.text(old))")
      case (nil, let new?): add(element, "added \(self.text(new))")
      case (nil, nil): break
      }
    }
  }

  private func pairs(_ mirror: Mirror) -> [AnyHashable: Any] {
    var pairs: [AnyHashable: Any] = [:]
    for child in mirror.children {
      let parts = Mirror(reflecting: child.value).children.map(\.value)
      if parts.count == 2, let key = hashable(parts[0]) { pairs[key] = parts[1] }
    }
    return pairs
  }

  private func hashable(_ value: Any) -> AnyHashable? {
    (value as? any Hashable).map { AnyHashable($0) }
  }

  // MARK: Lines

  /// Adds a line for two values that are shown as a whole, if they read differently.
  private mutating func change(_ old: Any, _ new: Any, at path: String) {
    if let old = old as? String, let new = new as? String {
      let start = startOfChange(old, new)
      return add(path, "\(text(old, from: start)) → \(text(new, from: start))")
    }
    let (oldText, newText) = (text(old), text(new))
    if oldText != newText {
      add(path, "\(oldText) → \(newText)")
    } else if type(of: new) is any AnyObject.Type {
      add(path, "another \(newText)")
    }
  }

  /// The index from which two strings are shown: the beginning, or if one is too long, shortly before they differ.
  private func startOfChange(_ old: String, _ new: String) -> Int {
    let room = limits.characters - 2
    guard old.count > room || new.count > room else { return 0 }
    let common = zip(old, new).prefix { $0 == $1 }.count
    return max(0, common - limits.characters / 8)
  }

  private func text(_ string: String, from start: Int) -> String {
    (start > 0 ? "…" : "") + text(String(string.dropFirst(start)))
  }

  private func text(_ value: Any) -> String {
    ValueText.of(value, limit: limits.characters)
  }

  private mutating func add(_ path: String, _ text: String) {
    count += 1
    guard lines.count < limits.lines else { return }
    lines.append(path.isEmpty ? text : "\(path): \(text)")
  }
}
