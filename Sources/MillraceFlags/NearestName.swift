/// Finds the flag a misspelt one was probably meant to be.
enum NearestName {
  /// The candidate with the fewest edits from `name`, or nil when none is near enough to be worth a guess.
  ///
  /// Hyphens in front do not count. Near enough is one edit for every three letters of the name, at least one, or to be
  /// the only candidate that begins with the name. Of equally near ones the first wins.
  static func of(_ name: String, among candidates: [String]) -> String? {
    let letters = bare(name)
    guard !letters.isEmpty else { return nil }
    let starting = candidates.filter { bare($0).starts(with: letters) }
    if starting.count == 1 { return starting[0] }
    let allowed = max(1, letters.count / 3)
    return
      candidates
      // There are at least as many edits as the difference in length; so a long name is not looked at letter by letter.
      .filter { abs(bare($0).count - letters.count) <= allowed }
      .map { (name: $0, edits: edits(from: letters, to: bare($0))) }
      .filter { $0.edits <= allowed }
      .min { $0.edits < $1.edits }?
      .name
  }

  private static func bare(_ name: String) -> [Character] {
    Array(name.drop { $0 == "-" }.lowercased())
  }

  /// The optimal string alignment distance: insertions, deletions, replacements, and swaps of neighbours.
  static func edits(from: [Character], to: [Character]) -> Int {
    var rowBeforeLast: [Int] = []
    var lastRow = Array(0...to.count)
    for i in from.indices {
      var row = [i + 1]
      for j in to.indices {
        var least = min(lastRow[j + 1] + 1, row[j] + 1, lastRow[j] + (from[i] == to[j] ? 0 : 1))
        if i > 0, j > 0, from[i] == to[j - 1], from[i - 1] == to[j] {
          least = min(least, rowBeforeLast[j - 1] + 1)
        }
        row.append(least)
      }
      rowBeforeLast = lastRow
      lastRow = row
    }
    return lastRow[to.count]
  }
}
