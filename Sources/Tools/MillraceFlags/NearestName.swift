/// Finds the name a misspelt one was probably meant to be.
enum NearestName {
  /// The candidate that is nearest to `name`, or nil when none is near enough to be worth a guess.
  ///
  /// Hyphens in front do not count. Near enough is one letter that differs of every three letters of the name, at least
  /// one, or to be the only candidate that begins with the name. Of equally near ones the first wins.
  static func of(_ name: String, among candidates: [String]) -> String? {
    let letters = bare(name)
    guard !letters.isEmpty else { return nil }
    let starting = candidates.filter { bare($0).starts(with: letters) }
    if starting.count == 1 { return starting[0] }
    let allowed = max(1, letters.count / 3)
    return
      candidates
      // At least as many letters differ as one is longer; so a long name is not looked at letter by letter.
      .filter { abs(bare($0).count - letters.count) <= allowed }
      .map { (name: $0, differing: differing(letters, bare($0))) }
      .filter { $0.differing <= allowed }
      .min { $0.differing < $1.differing }?
      .name
  }

  private static func bare(_ name: String) -> [Character] {
    Array(name.drop { $0 == "-" }.lowercased())
  }

  /// The number of letters that are replaced, added or left out on the way from one word to the other.
  private static func differing(_ word: [Character], _ other: [Character]) -> Int {
    let difference = other.difference(from: word)
    return max(difference.insertions.count, difference.removals.count)
  }
}
