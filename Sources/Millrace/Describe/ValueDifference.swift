/// What differs between two values of one type, a line for each part that does.
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
  /// How much is shown.
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
