import Testing

@testable import Millrace

@Suite("Queries whose effects have returned")
struct AnsweredQueriesTests {
  private let answered = AnsweredQueries<Int>()
  private let gate = EffectGate()

  @Test("Every query that the state asks for has to be answered, and a state without one needs no answer")
  func all() {
    #expect(answered.hasAll(of: []))
    #expect(!answered.hasAll(of: [1]))
    #expect(answered.add(1, through: gate))
    #expect(answered.hasAll(of: [1]))
    #expect(!answered.hasAll(of: [1, 2]))
  }

  @Test("An effect that was cancelled has answered nothing")
  func cancelled() {
    gate.close()
    #expect(!answered.add(1, through: gate))
    #expect(!answered.hasAll(of: [1]))
  }

  @Test("A query for which the state does not ask any more has to be answered anew")
  func forgotten() {
    _ = answered.add(1, through: gate)
    _ = answered.add(2, through: gate)
    answered.keep([2, 3])
    #expect(!answered.hasAll(of: [1]))
    #expect(answered.hasAll(of: [2]))
  }
}
