import Testing

@testable import Millrace

/// The state is the names of the children that exist, and a mutation says whether it may remove one.
@Suite("LifetimeConditions")
struct LifetimeConditionsTests {
  private final class NamedRun {
    let name: String
    var entries: LifetimeConditions.Entry?

    init(_ name: String) {
      self.name = name
    }
  }

  private enum Place {}

  /// Conditions, the runs that have some, and how often each child was looked at.
  private final class Index {
    var conditions = LifetimeConditions()
    private var runs: [String: NamedRun] = [:]
    private let looks = Looks()

    /// Adds the condition that a child exists; a path of a child's child is "a/b".
    @discardableResult
    func add(_ run: String, _ path: String, attempt: Int = 0, isAsked: Bool = false) -> RemovableChild {
      let run = runs[run] ?? NamedRun(run)
      runs[run.name] = run
      return conditions.add(condition(path, isAsked: isAsked), of: run, attempt: attempt, to: &run.entries)
    }

    private func condition(_ path: String, isAsked: Bool) -> LifetimeCondition {
      let names = path.split(separator: "/").map(String.init)
      let ids = names.map { ChildID(scope: PlanKey(scope: Place.self), id: PlanKey($0)) }
      let removals: @Sendable (Bool) -> [PlanKey]? = { $0 ? nil : [] }
      var condition = LifetimeCondition(ids[ids.count - 1], removals: isAsked ? Removals(removals) : nil) {
        [looks] (state: Set<String>) in
        looks.note(path)
        return state.isSuperset(of: names)
      }
      for parent in ids.dropLast().reversed() {
        condition = condition.within(parent) { (state: Set<String>) -> Set<String>? in state }
      }
      return condition
    }

    func remove(_ run: String) {
      if let run = runs.removeValue(forKey: run) { conditions.remove(&run.entries) }
    }

    /// The runs that end with a commit, and the children that were looked at for it.
    func ended(in state: Set<String>, by mutation: Bool = true, through child: RemovableChild? = nil) -> Answer {
      _ = looks.take()
      let ended =
        if let child {
          conditions.runs(endedThrough: child, in: state)
        } else {
          conditions.runs(endedBy: mutation, in: state)
        }
      return Answer(ended.compactMap { ($0.run as? NamedRun)?.name }, looks.take())
    }
  }

  private struct Answer: Equatable {
    let runs: [String]
    let looks: [String: Int]

    init(_ runs: [String], _ looks: [String: Int]) {
      self.runs = runs
      self.looks = looks
    }
  }

  @Test("A child is looked at once after a commit, however many runs it has, and a child without runs is not")
  func oneLook() {
    let index = Index()
    for number in 0..<1_000 { index.add("\(number)", "a") }
    index.add("b", "b")
    #expect(index.ended(in: ["a", "b"]) == Answer([], ["a": 1, "b": 1]))
    #expect(index.ended(in: ["b"]) == Answer((0..<1_000).map { "\($0)" }, ["a": 1, "b": 1]))
    index.remove("b")
    #expect(index.ended(in: ["a"]) == Answer([], ["a": 1]))
  }

  @Test("After a commit through a child only that child and its own children are looked at")
  func throughAChild() {
    let index = Index()
    let (a, aSub, b) = (index.add("1", "a"), index.add("2", "a/x"), index.add("3", "b"))
    index.add("4", "a/x/y")
    index.add("5", "b/x")
    let state: Set = ["a", "b", "x", "y"]
    #expect(index.ended(in: state, through: a) == Answer([], ["a": 1, "a/x": 1, "a/x/y": 1]))
    #expect(index.ended(in: state, through: aSub) == Answer([], ["a/x": 1, "a/x/y": 1]))
    #expect(index.ended(in: [], through: b) == Answer(["3", "5"], ["b": 1, "b/x": 1]))
    #expect(index.ended(in: ["a", "b"], through: a) == Answer(["2", "4"], ["a": 1, "a/x": 1, "a/x/y": 1]))
  }

  @Test("A scope that says that a mutation removes none of its children is asked once, and none of them is looked at")
  func aScopeIsAsked() {
    let index = Index()
    let asked = index.add("1", "a", isAsked: true)
    index.add("2", "b", isAsked: true)
    index.add("3", "a/x", isAsked: true)
    #expect(index.ended(in: [], by: false) == Answer(["3"], ["a/x": 1]))
    #expect(index.ended(in: [], by: true) == Answer(["1", "2", "3"], ["a": 1, "b": 1, "a/x": 1]))
    #expect(index.ended(in: [], by: false, through: asked).runs == ["1", "3"])
  }

  @Test("A run of a child's child is stored with the inner one alone, in whatever order the conditions come")
  func nestedConditions() {
    for paths in [["a", "a/x"], ["a/x", "a"], ["a", "a/x", "a", "a/x"]] {
      let index = Index()
      for path in paths { index.add("1", path) }
      #expect(index.ended(in: ["a", "x"]) == Answer([], ["a/x": 1]))
      #expect(index.ended(in: ["a"]).runs == ["1"])
      #expect(index.ended(in: ["x"]).runs == ["1"])
      index.remove("1")
      #expect(index.conditions.isEmpty)
    }
  }

  @Test("A run of several children ends once, with the first of them that is removed")
  func severalChildren() {
    for removed in [["a"], ["b"], ["x"], ["a", "b", "x"]] {
      let index = Index()
      for path in ["a/x", "b", "a/y"] { index.add("1", path) }
      #expect(index.ended(in: ["a", "b", "x", "y"]).runs == [])
      #expect(index.ended(in: Set(["a", "b", "x", "y"]).subtracting(removed)).runs == ["1"])
      index.remove("1")
      #expect(index.conditions.isEmpty)
    }
  }

  @Test("The conditions of an attempt are removed with the first one of the next attempt")
  func attempts() {
    let index = Index()
    for path in ["a", "b"] { index.add("1", path, attempt: 1) }
    index.add("2", "b")
    index.add("1", "c", attempt: 2)
    #expect(index.ended(in: ["b", "c"]) == Answer([], ["b": 1, "c": 1]))
    index.add("1", "a", attempt: 2)
    #expect(index.ended(in: ["b", "c"]).runs == ["1"])
    #expect(index.ended(in: []).runs == ["1", "2"])
    index.add("1", "a", attempt: 3)
    #expect(index.ended(in: ["b", "c"]) == Answer(["1"], ["a": 1, "b": 1]))
  }

  @Test("A condition of the whole run outlasts its attempts, and those of inner children that an attempt adds")
  func wholeRun() {
    for path in ["a", "a/x", "b"] {
      let index = Index()
      index.add("1", "a")
      index.add("1", path, attempt: 1)
      index.add("1", "c", attempt: 2)
      #expect(index.ended(in: ["c"]).runs == ["1"])
      #expect(index.ended(in: ["a", "c"]).runs == [])
      index.remove("1")
      #expect(index.conditions.isEmpty)
    }
  }

  @Test("Runs end in the order in which they were added, whichever children they have and whatever attempt they make")
  func order() {
    let index = Index()
    let names = (0..<50).map { "\($0)" }
    for name in names { index.add(name, "child \(name.last ?? "0")", attempt: 1) }
    for name in names.reversed() { index.add(name, "child of \(name)", attempt: 2) }
    #expect(index.ended(in: []).runs == names)
  }

  @Test("R5: a child is forgotten with its last run, and its ancestors with it, unless they have others")
  func forgotten() {
    let index = Index()
    index.add("1", "a")
    index.add("2", "a/x/y")
    index.add("3", "a/x")
    let scopes: () -> [Int] = { index.conditions.scopes.map(\.childrenByID.count) }
    #expect(scopes() == [1, 1, 1])
    index.remove("3")
    #expect(scopes() == [1, 1, 1])
    index.remove("2")
    #expect(scopes() == [1])
    index.add("4", "b")
    #expect(scopes() == [2])
    index.remove("1")
    #expect(scopes() == [1])
    index.remove("4")
    #expect(index.conditions.isEmpty)
    #expect(index.ended(in: []) == Answer([], [:]))
  }

  @Test("Equal children at different positions are different children; equal positions are one")
  func positions() {
    func key(_ condition: LifetimeCondition) -> PlanKey { condition.child.steps[0].scope }
    func at(_ place: PartPosition) -> LifetimeCondition {
      LifetimeCondition(ChildID(scope: PlanKey(scope: Place.self), id: nil), removals: nil) { (_: Int) in true }
        .within(place) { (whole: Int) in whole }
    }
    let places: [PartPosition] = [
      .scope(ObjectIdentifier(Int.self)), .scope(ObjectIdentifier(String.self)),
      .keyPath(\ScriptedInteractor.State.log), .keyPath(\Town.State.log), .unknown, .unknown,
    ]
    #expect(Set(places.map { key(at($0)) }).count == 6)
    #expect(key(at(.scope(ObjectIdentifier(Int.self)))) == key(at(.scope(ObjectIdentifier(Int.self)))))
    #expect(key(at(.keyPath(\Town.State.log))) == key(at(.keyPath(\Town.State.log))))
  }
}
