package import MillraceInspector

/// The runs that were listed last, and what the person at the terminal wants to see of them.
package struct TopState: Sendable, Equatable {
  /// The orders of the list, of which a key chooses the next one.
  package enum Order: String, Sendable, Equatable, CaseIterable {
    /// Stuck runs first, then the oldest.
    case stuck
    case age
    case store
    case attempts
  }

  /// The list; nil before the first one.
  package var document: RunsDocument?
  /// The reason for which there is no newer list; nil if the last question was answered.
  package var failure: RunsFailure?
  package var order = Order.stuck
  /// The text that shown runs have in one of their fields, in any case of letters.
  package var filter = ""
  /// Whether letters go into the filter.
  package var isTyping = false
  /// Whether the person has asked for the end.
  package var isOver = false

  package init(order: Order = .stuck, filter: String = "") { (self.order, self.filter) = (order, filter) }

  package mutating func press(_ key: Key) {
    if isTyping { return type(key) }
    switch key {
    case .letter("q"): isOver = true
    case .letter("s"):
      let orders = Order.allCases
      order = orders[(orders.firstIndex(of: order)! + 1) % orders.count]
    case .letter("/"): isTyping = true
    case .escape: filter = ""
    default: break
    }
  }

  private mutating func type(_ key: Key) {
    switch key {
    case .letter(let letter): filter.append(letter)
    case .backspace: filter = String(filter.dropLast())
    case .enter: isTyping = false
    case .escape: (filter, isTyping) = ("", false)
    }
  }

  /// The runs that the filter leaves, in the order.
  package var runs: [ShownRun] {
    let wanted = filter.lowercased()
    let runs = (document?.runs ?? []).filter { run in
      wanted.isEmpty || run.texts.contains { $0.lowercased().contains(wanted) }
    }
    // The list is in its order already; a sort keeps the order of equals.
    switch order {
    case .stuck: return runs
    case .age: return runs.sorted { ($0.age ?? 0) > ($1.age ?? 0) }
    case .store: return runs.sorted { $0.storeAndKey < $1.storeAndKey }
    case .attempts: return runs.sorted { ($0.attempt, $0.deaths) > ($1.attempt, $1.deaths) }
    }
  }
}

extension ShownRun {
  fileprivate var texts: [String] {
    [storeAndKey, id, key, stage, doing] + [action, plan, lastStep].compactMap(\.self) + (stuck ? ["stuck"] : [])
  }
}
