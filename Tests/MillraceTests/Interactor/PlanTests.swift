import Testing

@testable import Millrace

@Suite("Plan")
struct PlanTests {
  /// A plan made in one way, and the overlap and key it is to have.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let plan: Plan
    let overlap: Overlap
  }

  static let rows = [
    Row(testDescription: "concurrent", plan: .concurrent(max: 3, key: "k"), overlap: .concurrent(max: 3)),
    Row(testDescription: "serial", plan: .serial(key: "k"), overlap: .concurrent(max: 1)),
    Row(testDescription: "latest", plan: .latest(key: "k"), overlap: .latest(max: 1)),
    Row(testDescription: "exclusive", plan: .exclusive(key: "k"), overlap: .exclusive(max: 1)),
    Row(testDescription: "shared", plan: .shared(key: "k"), overlap: .shared),
  ]

  @Test("`concurrent` has no terms, and is one word")
  func concurrentHasNoTerms() {
    #expect(Plan.concurrent.terms == nil)
    #expect(Plan.concurrent.isConcurrent)
    #expect(MemoryLayout<Plan>.size == MemoryLayout<Int>.size)
    #expect(!Plan.concurrent.timeout(.seconds(1)).isConcurrent)
  }

  @Test("An overlap has its key, and no other terms", arguments: rows)
  func anOverlapHasItsKey(row: Row) throws {
    let terms = try #require(row.plan.terms)
    #expect(!row.plan.isConcurrent)
    #expect(terms.overlap == row.overlap)
    #expect(terms.key == PlanKey("k"))
    #expect(terms.pace == nil)
    #expect(terms.timeout == nil)
    #expect(terms.attemptTimeout == nil)
    #expect(terms.retry == nil)
    #expect(terms.breaker == nil)
    #expect(terms.breakerKey == PlanKey("k"))
    #expect(terms.recovery == .abandon)
    #expect(terms.start == nil)
    #expect(terms.problem == nil)
  }

  @Test("Each builder sets its own term and leaves the others")
  func buildersSetTheirTerms() throws {
    let budget = Plan.RetryBudget(capacity: 4, refill: .seconds(5))
    let breaker = Plan.Breaker(failures: 2, within: .seconds(3), openFor: .seconds(4))
    let plan = Plan.latest(key: 7)
      .debounce(.milliseconds(1))
      .timeout(.milliseconds(2))
      .attemptTimeout(.milliseconds(3))
      .retry(
        6, if: { !($0 is Mishap) }, backoff: .constant(.milliseconds(4)), jitter: 0.25, budget: budget,
        afterCommits: true
      )
      .breaker(breaker, key: "own")
      .recovery(.handleAgain)
      .starting(.onPool)
    let terms = try #require(plan.terms)
    #expect(terms.overlap == .latest(max: 1))
    #expect(terms.key == PlanKey(7))
    #expect(terms.pace == .debounce(.milliseconds(1)))
    #expect(terms.timeout == .milliseconds(2))
    #expect(terms.attemptTimeout == .milliseconds(3))
    let retry = try #require(terms.retry)
    #expect(retry.attempts == 6)
    #expect(retry.isRetryable?(Mishap()) == false)
    #expect(retry.backoff == .constant(.milliseconds(4)))
    #expect(retry.jitter == 0.25)
    #expect(retry.budget == budget)
    #expect(retry.afterCommits)
    #expect(terms.breaker == breaker.figures)
    #expect(terms.breakerKey == PlanKey("own"))
    #expect(terms.recovery == .handleAgain)
    #expect(terms.start == .onPool)
    #expect(terms.problem == nil)
  }

  @Test("The defaults of the builders are those that are documented")
  func buildersHaveDefaults() throws {
    let terms = try #require(Plan.serial(key: 1).throttle(.seconds(1)).retry(2).breaker().terms)
    #expect(terms.pace == .throttle(.seconds(1), leading: true, trailing: true))
    let retry = try #require(terms.retry)
    #expect(retry.backoff == .exponential(initial: .milliseconds(100), factor: 2, maximum: .seconds(30)))
    #expect(retry.jitter == 0.5)
    #expect(retry.isRetryable == nil)
    #expect(retry.budget == nil)
    #expect(!retry.afterCommits)
    #expect(terms.breaker == Plan.Breaker(failures: 5, within: .seconds(60), openFor: .seconds(30)).figures)
    #expect(terms.breakerKey == PlanKey(1))
  }

  @Test("A term that is set again is the one set last")
  func aTermIsSetAgain() throws {
    let plan = Plan.serial(key: 1).timeout(.seconds(1)).breaker(key: 2).timeout(.seconds(9)).breaker()
    #expect(plan.terms?.timeout == .seconds(9))
    #expect(plan.terms?.breakerKey == PlanKey(1))
  }

  @Test("Without an overlap a plan has no key, but for that of its breaker")
  func withoutAnOverlap() throws {
    let terms = try #require(Plan.concurrent.retry(3).timeout(.seconds(1)).breaker(key: "own").terms)
    #expect(terms.overlap == nil)
    #expect(terms.key == nil)
    #expect(terms.breakerKey == PlanKey("own"))
    #expect(terms.problem == nil)
  }

  @Test("A plan that is derived from another leaves that as it was")
  func plansAreIndependent() throws {
    let base = Plan.serial(key: 1).timeout(.seconds(1)).breaker(key: "base")
    let one = base.timeout(.seconds(2)).debounce(.seconds(3))
    let other = base.retry(4).breaker(Plan.Breaker(failures: 9)).recovery(.handleAgain)
    let invalid = base.attemptTimeout(.zero)
    let terms = try #require(base.terms)
    #expect(terms.timeout == .seconds(1))
    #expect(terms.attemptTimeout == nil)
    #expect(terms.pace == nil)
    #expect(terms.retry == nil)
    #expect(terms.breaker == Plan.Breaker().figures)
    #expect(terms.breakerKey == PlanKey("base"))
    #expect(terms.recovery == .abandon)
    #expect(terms.problem == nil)
    // What they were derived from they have, all of it.
    #expect(one.terms?.overlap == .concurrent(max: 1))
    #expect(one.terms?.timeout == .seconds(2))
    #expect(one.terms?.breakerKey == PlanKey("base"))
    #expect(one.terms?.retry == nil)
    #expect(other.terms?.timeout == .seconds(1))
    #expect(other.terms?.pace == nil)
    #expect(other.terms?.breakerKey == PlanKey(1))
    #expect(invalid.terms?.problem == .timeout)
    #expect(invalid.recovery(.handleAgain).terms?.problem == .timeout)
  }

  @Test("A copy of all terms has every one of them")
  func aCopyHasAllTerms() throws {
    let full = Plan.shared(key: 1).throttle(.seconds(1), leading: false).timeout(.seconds(2))
      .attemptTimeout(.seconds(3)).retry(4).breaker(key: 5).recovery(.handleAgain)
      .starting(.onSender)
    let copy = try #require(full.recovery(.handleAgain).terms)
    #expect(copy !== full.terms)
    #expect(copy.overlap == .shared)
    #expect(copy.key == PlanKey(1))
    #expect(copy.pace == .throttle(.seconds(1), leading: false, trailing: true))
    #expect(copy.timeout == .seconds(2))
    #expect(copy.attemptTimeout == .seconds(3))
    #expect(copy.retry?.attempts == 4)
    #expect(copy.breaker == Plan.Breaker().figures)
    #expect(copy.breakerKey == PlanKey(5))
    #expect(copy.recovery == .handleAgain)
    #expect(copy.start == .onSender)
  }
}

@Suite("PlanKey")
struct PlanKeyTests {
  @Test("Keys are compared together with their types")
  func keysAreComparedWithTheirTypes() {
    let keys = [PlanKey(1), PlanKey(1.0), PlanKey(Int8(1)), PlanKey("1")]
    #expect(Set(keys).count == 4)
    for (index, key) in keys.enumerated() {
      for (other, another) in keys.enumerated() {
        #expect((key == another) == (index == other))
      }
    }
  }

  @Test("Equal values of one type are one key, with one hash")
  func equalValuesAreOneKey() {
    #expect(PlanKey("a") == PlanKey("a"))
    #expect(PlanKey("a").hashValue == PlanKey("a").hashValue)
    #expect(PlanKey("a") != PlanKey("b"))
  }

  @Test("An object is the same key as itself given as one of its superclass")
  func objectsAsKeys() {
    let tram = Tram()
    #expect(PlanKey(tram) == PlanKey(tram as Vehicle))
    #expect(PlanKey(tram as Vehicle) == PlanKey(tram))
    #expect(PlanKey(tram).hashValue == PlanKey(tram as Vehicle).hashValue)
    #expect(PlanKey(tram) != PlanKey(Tram() as Vehicle))
    #expect(PlanKey(Vehicle()) != PlanKey(tram as Vehicle))
  }

  @Test("A key that comes as an existential is that of the value within")
  func anExistentialIsItsValue() {
    let key: any Hashable & Sendable = 1
    #expect(PlanKey(key) == PlanKey(1))
  }
}

private class Vehicle: Hashable, @unchecked Sendable {
  static func == (one: Vehicle, other: Vehicle) -> Bool { one === other }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

private final class Tram: Vehicle, @unchecked Sendable {}
