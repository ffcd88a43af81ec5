/// The figures of plans by their names: of the first names, and of all others together.
struct NamedPlans {
  typealias Index = Int32

  /// The largest number of names with figures of their own, so that names made of requests do not use up memory.
  static let most = 100

  /// The name under which the figures of all further names are summed.
  static let other = "other"

  private(set) var figures: [PlanFigures] = []
  private var indices: [String: Index] = [:]

  /// The index of a name, or of all further names.
  mutating func index(of name: String) -> Index {
    if let index = indices[name] { return index }
    if indices.count >= NamedPlans.most, name != NamedPlans.other { return index(of: NamedPlans.other) }
    let index = Index(figures.count)
    figures.append(PlanFigures(name: name))
    indices[name] = index
    return index
  }

  subscript(index: Index) -> PlanFigures {
    get { figures[Int(index)] }
    _modify { yield &figures[Int(index)] }
  }
}
