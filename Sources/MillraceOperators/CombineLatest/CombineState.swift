/// One thing that a base of a combination says.
enum CombinePart<Latest: Sendable>: Sendable {
  /// The base has an element, which is to be put in its place.
  case element(base: Int, put: @Sendable (inout Latest) -> Void)
  /// The request has ended.
  case end(base: Int)
}

/// The newest element of each base, as a value without tasks and locks.
///
/// `Latest` has a place for each base, which is nil until that has an element.
struct CombineState<Latest: Sendable> {
  enum Step {
    /// A new combination.
    case combined(Latest)
    /// The next part has to be waited for.
    case incomplete
    /// There will be no combination: a base has ended without an element.
    case impossible
  }

  private var latest: Latest
  /// The bases that had no element yet.
  private var missing: Set<Int>

  init(_ empty: Latest, bases count: Int) {
    latest = empty
    missing = Set(0..<count)
  }

  mutating func take(_ part: CombinePart<Latest>) -> Step {
    switch part {
    case .element(let base, let put):
      put(&latest)
      missing.remove(base)
      return missing.isEmpty ? .combined(latest) : .incomplete
    case .end(let base):
      return missing.contains(base) ? .impossible : .incomplete
    }
  }
}
