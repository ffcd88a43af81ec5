#if DEBUG
  /// The methods of ``Interactor`` that have a default, so that a misspelt one compiles.
  enum OptionalRequirement: CaseIterable {
    case decide
    case plan
    case closing

    /// The name without the labels.
    var name: String {
      switch self {
      case .decide: "decide"
      case .plan: "plan"
      case .closing: "closing"
      }
    }

    /// The labels of its parameters.
    var labels: [String] {
      switch self {
      case .decide: ["_", "state"]
      case .plan: ["for", "state"]
      case .closing: ["_", "outcome"]
      }
    }

    /// The name with the labels: "closing(_:outcome:)".
    var fullName: String {
      "\(name)(\(labels.map { "\($0):" }.joined()))"
    }

    /// The declaration of the requirement as an interactor writes it.
    var declaration: String {
      switch self {
      case .decide: "func decide(_ action: Action, state: State) -> Decision<Mutation>"
      case .plan: "func plan(for action: Action, state: State) -> Plan"
      case .closing: "func closing(_ action: Action, outcome: Outcome) -> Mutation?"
      }
    }

    /// The similarity of another name to its own.
    func likeness(of other: String) -> Likeness {
      if other == name { return .same }
      let difference = Array(name).difference(from: Array(other))
      let differing = max(difference.insertions.count, difference.removals.count)
      if differing <= max(1, name.count / 3) { return .misspelt }
      return other.starts(with: name.prefix(4)) ? .akin : .other
    }

    /// The similarity of two names.
    enum Likeness: Hashable {
      /// The same name.
      case same
      /// A letter or two apart, as `decid` and `decide`.
      case misspelt
      /// The same for four letters, as `close` and `closing`.
      case akin
      case other
    }
  }
#endif
