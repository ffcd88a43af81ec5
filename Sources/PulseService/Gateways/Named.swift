import Foundation

/// A URL that is shown, recorded and referred to by a name which has none of its secrets.
protocol Named: Hashable {
  var name: String { get set }
}

extension Sequence where Element: Named {
  /// The elements without repetitions; where several have one name, `#2`, `#3` and so on stand behind that of the later ones.
  ///
  /// No other name ends so, for names have no fragments.
  var named: [Element] {
    var seen: Set<Element> = []
    var counts: [String: Int] = [:]
    return filter { seen.insert($0).inserted }.map { element in
      let count = counts[element.name, default: 0] + 1
      counts[element.name] = count
      var element = element
      if count > 1 { element.name += "#\(count)" }
      return element
    }
  }
}

extension URL {
  /// The same URL without user, password and fragment, and with another change.
  func redacted(_ change: (inout URLComponents) -> Void) -> URL {
    // A URL that was read from a text can be taken apart, and what is left of it is a URL.
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return URL(filePath: "/") }
    parts.user = nil
    parts.password = nil
    parts.fragment = nil
    change(&parts)
    return parts.url ?? URL(filePath: "/")
  }
}
