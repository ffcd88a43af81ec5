import Synchronization

/// The children that may be removed and have runs, with the runs that end when they are removed.
///
/// Each child has one condition, however many runs it has. A run is stored with each of its children, but not with a child whose own
/// child has the run: the condition of the inner one includes that the outer one exists. A child is forgotten with its last run.
///
/// Only the holder of the store's lock touches its objects, so that accesses are not checked. It is not generic, so that it is compiled
/// once: the questions about states and mutations are ``AnyPredicate``, and its owner uses it with states and mutations of one type and
/// with runs of one type.
@usableFromInline
struct LifetimeConditions {
  /// The scopes of the outermost children.
  private var outermost: [PlanKey: Scope] = [:]

  /// The outermost children by their marks; each names the next one of the same mark.
  private var marked: [ChildMark: RemovableChild] = [:]

  /// The scopes that have children, at every depth.
  @usableFromInline private(set) var scopes = LinkedList<Scope>()

  /// The number of runs that were ever added.
  private var addedRuns = 0

  /// Whether no run depends on a child.
  var isEmpty: Bool { scopes.isEmpty }

  // MARK: Runs

  /// Adds a condition of a run, and returns the child that it asks for.
  ///
  /// - Parameters:
  ///   - condition: the condition without which the run ends.
  ///   - run: the run; not retained.
  ///   - attempt: the number of the run's attempt; 0 for a condition of the whole run. The conditions of another attempt are removed.
  ///   - entries: the entries of the run.
  @usableFromInline
  @discardableResult
  mutating func add(
    _ condition: LifetimeCondition, of run: AnyObject, attempt: Int, to entries: inout Entry?
  ) -> RemovableChild {
    if entries == nil { addedRuns += 1 }
    let number = entries?.number ?? addedRuns
    if let child = self.child(of: &entries, at: condition.child, attempt: attempt) { return child }
    let child = child(at: condition.child)
    if child.exists == nil { child.exists = condition.exists }
    if child.scope.removals == nil { child.scope.removals = condition.removals }
    add(Entry(run, of: child, attempt: attempt, number: number), to: &entries)
    return child
  }

  /// Adds the entry of a run unless the run has one within its child, and removes those of the children that it is within.
  private func add(_ entry: Entry, to entries: inout Entry?) {
    let child = entry.child
    guard !has(entries, within: child) else { return }
    child.runs.append(entry)
    var kept = entry
    var next = entries
    while let other = next {
      next = other.next
      // A condition of the whole run outlasts those of its attempts.
      if child.isWithin(other.child), entry.attempt == other.attempt {
        other.child.runs.remove(other)
      } else {
        other.next = kept
        kept = other
      }
    }
    entries = kept
  }

  /// Removes all conditions of a run.
  mutating func remove(_ entries: inout Entry?) {
    while let entry = entries {
      entries = entry.next
      entry.child.runs.remove(entry)
      forgetIfUnused(entry.child)
    }
  }

  /// Removes the conditions of other attempts of a run, which are newer than those of the whole run.
  private mutating func removeOtherAttempts(than attempt: Int, from entries: inout Entry?) {
    var kept: Entry?
    while let entry = entries {
      entries = entry.next
      if entry.attempt == 0 || entry.attempt == attempt {
        entry.next = kept
        kept = entry
      } else {
        entry.child.runs.remove(entry)
        forgetIfUnused(entry.child)
      }
    }
    entries = kept
  }

  /// The child at this path, if it has one of the entries of a run; the conditions of another attempt are removed.
  @usableFromInline
  mutating func child(of entries: inout Entry?, at path: ChildPath, attempt: Int) -> RemovableChild? {
    // Before the child is looked for: this may forget it.
    removeOtherAttempts(than: attempt, from: &entries)
    var next = entries
    while let entry = next {
      if entry.child.isAt(path) { return entry.child }
      next = entry.next
    }
    return nil
  }

  private func has(_ entries: Entry?, within child: RemovableChild) -> Bool {
    var next = entries
    while let entry = next {
      if entry.child.isWithin(child) { return true }
      next = entry.next
    }
    return false
  }

  // MARK: Commits

  /// The runs of children that do not exist in the state, which a mutation led to, in the order in which the runs were added.
  ///
  /// Looks once at each child that has runs, or at those that its scope names.
  @inlinable
  func runs<State, Mutation>(endedBy mutation: Mutation, in state: State) -> [Entry] {
    var found: [Entry] = []
    var next = scopes.first
    while let scope = next {
      next = scope.following
      if let named = scope.removals?.children(removedBy: mutation) {
        for id in named { scope.child(id)?.addRuns(endedIn: state, to: &found) }
        continue
      }
      var nextChild = scope.children.first
      while let child = nextChild {
        nextChild = child.following
        child.addRuns(endedIn: state, to: &found)
      }
    }
    return found.isEmpty ? [] : Self.inOrder(found)
  }

  /// The runs of children that do not exist in the state, which a mutation of this child led to.
  ///
  /// Looks at this child and at its own children, at every depth.
  @inlinable
  func runs<State>(endedThrough child: RemovableChild, in state: State) -> [Entry] {
    var found: [Entry] = []
    child.addAllRuns(endedIn: state, to: &found)
    return found.isEmpty ? [] : Self.inOrder(found)
  }

  /// The runs of children that do not exist in the state, which a mutation that this child has decided led to.
  ///
  /// Looks at this child and at its own children, at every depth, and at any other child that has the same mark by chance.
  @inlinable
  func runs<State>(endedByDecisionOf mark: ChildMark, in state: State) -> [Entry] {
    var found: [Entry] = []
    var next = child(mark)
    while let child = next {
      next = child.nextOfMark
      child.addAllRuns(endedIn: state, to: &found)
    }
    return found.isEmpty ? [] : Self.inOrder(found)
  }

  @usableFromInline
  func child(_ mark: ChildMark) -> RemovableChild? { marked[mark] }

  @usableFromInline
  static func inOrder(_ found: [Entry]) -> [Entry] {
    var last = 0
    return found.sorted { $0.number < $1.number }.filter { entry in
      defer { last = entry.number }
      return entry.number != last
    }
  }

  // MARK: Children

  private mutating func child(at path: ChildPath) -> RemovableChild {
    let steps = path.steps
    var child = child(steps[steps.count - 1], of: nil)
    for step in steps.dropLast().reversed() { child = self.child(step, of: child) }
    return child
  }

  private mutating func child(_ step: ChildID, of parent: RemovableChild?) -> RemovableChild {
    let scope = (parent?.scopes ?? outermost)[step.scope] ?? addScope(step.scope, of: parent)
    if let child = scope.childrenByID[step.id] { return child }
    let child = RemovableChild(step, in: scope)
    if parent == nil, step.mark != .none { mark(child, step.mark) }
    scope.childrenByID[step.id] = child
    scope.children.append(child)
    return child
  }

  private mutating func mark(_ child: RemovableChild, _ mark: ChildMark) {
    child.mark = mark
    child.nextOfMark = marked.updateValue(child, forKey: mark)
  }

  private mutating func removeMark(of child: RemovableChild) {
    if marked[child.mark] === child {
      marked[child.mark] = child.nextOfMark
    } else {
      var next = marked[child.mark]
      while let other = next, other.nextOfMark !== child { next = other.nextOfMark }
      next?.nextOfMark = child.nextOfMark
    }
  }

  private mutating func addScope(_ key: PlanKey, of parent: RemovableChild?) -> Scope {
    let scope = Scope(key, of: parent)
    if let parent { parent.scopes[key] = scope } else { outermost[key] = scope }
    scopes.append(scope)
    return scope
  }

  /// Forgets a child without runs and without children of its own, and each ancestor that has neither then.
  private mutating func forgetIfUnused(_ child: RemovableChild) {
    var next: RemovableChild? = child
    while let child = next, child.runs.isEmpty, child.scopes.isEmpty {
      let scope = child.scope
      if child.mark != .none { removeMark(of: child) }
      scope.children.remove(child)
      scope.childrenByID[child.step.id] = nil
      guard scope.children.isEmpty else { return }
      scopes.remove(scope)
      next = scope.parent
      if let parent = scope.parent { parent.scopes[scope.key] = nil } else { outermost[scope.key] = nil }
    }
  }
}

extension LifetimeConditions {
  /// The children of one scope, in one parent, that have runs or children with runs.
  @usableFromInline
  final class Scope: Linked {
    let key: PlanKey

    /// The child that the scope belongs to; nil for the store's interactor.
    unowned let parent: RemovableChild?

    /// The children that a mutation may remove; nil if the scope cannot say that.
    @exclusivity(unchecked) @usableFromInline fileprivate(set) var removals: AnyRemovals?

    @exclusivity(unchecked) fileprivate(set) var childrenByID: [PlanKey?: RemovableChild] = [:]
    @exclusivity(unchecked) @usableFromInline fileprivate(set) var children = LinkedList<RemovableChild>()

    @exclusivity(unchecked) @usableFromInline var previous: Scope?
    @exclusivity(unchecked) @usableFromInline var following: Scope?

    fileprivate init(_ key: PlanKey, of parent: RemovableChild?) {
      self.key = key
      self.parent = parent
    }

    @usableFromInline
    func child(_ id: PlanKey) -> RemovableChild? { childrenByID[id] }
  }

  /// One run of a child, in the list of the child's runs.
  @usableFromInline
  final class Entry: Linked {
    unowned let run: AnyObject
    unowned let child: RemovableChild

    /// The number of the attempt that set the condition; 0 for a run that has one attempt.
    let attempt: Int

    /// The number of the run, in the order in which runs were added.
    let number: Int

    /// The entry of the same run with another child.
    @exclusivity(unchecked) fileprivate(set) var next: Entry?

    @exclusivity(unchecked) @usableFromInline var previous: Entry?
    @exclusivity(unchecked) @usableFromInline var following: Entry?

    fileprivate init(_ run: AnyObject, of child: RemovableChild, attempt: Int, number: Int) {
      self.run = run
      self.child = child
      self.attempt = attempt
      self.number = number
    }
  }
}

/// One life of a child of a store's interactor, at any depth, that may be removed and has runs.
@usableFromInline
final class RemovableChild: Linked, @unchecked Sendable {
  let step: ChildID

  /// Whether it was removed; any thread reads it.
  private let removed = Atomic(false)
  unowned let scope: LifetimeConditions.Scope

  /// Its mark, and the next child that has the same one; only an outermost child is marked.
  @exclusivity(unchecked) fileprivate(set) var mark = ChildMark.none
  @exclusivity(unchecked) @usableFromInline fileprivate(set) var nextOfMark: RemovableChild?

  /// Whether the child exists in a state; nil for a child that only its own children's runs depend on.
  @exclusivity(unchecked) @usableFromInline fileprivate(set) var exists: AnyPredicate?

  /// The runs that end when the child is removed, without those that end with one of its own children.
  @exclusivity(unchecked) @usableFromInline fileprivate(set) var runs = LinkedList<LifetimeConditions.Entry>()

  /// The scopes of its own children.
  @exclusivity(unchecked) @usableFromInline fileprivate(set) var scopes: [PlanKey: LifetimeConditions.Scope] = [:]

  @exclusivity(unchecked) @usableFromInline var previous: RemovableChild?
  @exclusivity(unchecked) @usableFromInline var following: RemovableChild?

  fileprivate init(_ step: ChildID, in scope: LifetimeConditions.Scope) {
    self.step = step
    self.scope = scope
  }

  /// Whether it was removed, even if there is another child in its place.
  @usableFromInline var isRemoved: Bool { removed.load(ordering: .acquiring) }

  /// The child that has it.
  private var parent: RemovableChild? { scope.parent }

  /// The outermost one of it and its ancestors that was removed, once one was, and how many of them are within that.
  @exclusivity(unchecked) private(set) var removal: (of: ChildID, depth: Int)?

  /// The mark of the outermost child that it is within.
  var outermostMark: ChildMark { parent?.outermostMark ?? mark }

  /// Notes that it was removed, or the ancestor that has it at a depth, and all between them.
  @usableFromInline
  func noteRemoval(at depth: Int) {
    var child = self
    removed.store(true, ordering: .releasing)
    for _ in 0..<depth {
      guard let parent = child.parent else { break }
      child = parent
      child.removed.store(true, ordering: .releasing)
    }
    // The ancestors may be forgotten when it is asked for.
    removal = (child.step, depth)
  }

  /// Whether this is the child at a path.
  fileprivate func isAt(_ path: ChildPath) -> Bool {
    var next: RemovableChild? = self
    for step in path.steps {
      guard let child = next, child.step.id == step.id, child.scope.key == step.scope else { return false }
      next = child.parent
    }
    return next == nil
  }

  /// Whether this is `other` or one of its descendants.
  fileprivate func isWithin(_ other: RemovableChild) -> Bool {
    var next: RemovableChild? = self
    while let child = next {
      if child === other { return true }
      next = child.parent
    }
    return false
  }

  /// Adds its runs if it does not exist in the state.
  @inlinable
  func addRuns<State>(endedIn state: State, to found: inout [LifetimeConditions.Entry]) {
    guard !runs.isEmpty, let exists, !exists.holds(of: state) else { return }
    noteRemoval(at: exists.missingStep(in: state))
    var next = runs.first
    while let entry = next {
      found.append(entry)
      next = entry.following
    }
  }

  /// Adds its runs, and those of its descendants, if they do not exist in the state.
  @inlinable
  func addAllRuns<State>(endedIn state: State, to found: inout [LifetimeConditions.Entry]) {
    addRuns(endedIn: state, to: &found)
    for scope in scopes.values {
      var next = scope.children.first
      while let child = next {
        next = child.following
        child.addAllRuns(endedIn: state, to: &found)
      }
    }
  }
}
