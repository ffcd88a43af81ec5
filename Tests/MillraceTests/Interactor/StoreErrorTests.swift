import Millrace
import Testing

@Suite("StoreError")
struct StoreErrorTests {
  private struct Mishap: Error {}

  @Test("The failure of a wait, of a submit, of an observer and of an effect has its code, and no outcome")
  func codes() {
    let errors: [(StoreError.Reason, StoreError.Code)] = [
      (.noStateInTime, .timedOut), (.shutDownBeforeState, .shutDown), (.shutDownBeforeAcceptance, .shutDown),
      (.overflowed(lag: 2), .lagged), (.lagged(lag: 2), .lagged), (.effectWithoutState, .noState),
      (.deadlock("#1@1 requests #1@2"), .deadlock),
    ]
    for (reason, code) in errors {
      let error = StoreError(reason)
      #expect(error.code == code)
      #expect(error.outcome == nil)
      #expect(error.underlying == nil)
      #expect(error.description.hasSuffix("."))
    }
    #expect(Set(errors.map { StoreError($0.0).description }).count == errors.count)
  }

  @Test("The failure of a request has the outcome, and the error in it")
  func requests() {
    let outcomes: [(Outcome, hasError: Bool)] = [
      (.failed(Mishap()), true), (.cancelled, false), (.superseded, false), (.timedOut, false),
      (.rejected(.full("")), false), (.rejected(.decided(Mishap())), true), (.rejected(.journal(Mishap())), true),
      (.shutDown, false), (.abandoned, false), (.leftOpen, false),
    ]
    for (outcome, hasError) in outcomes {
      let error = StoreError(.ended(outcome))
      #expect(error.code == .notFinished)
      #expect(error.outcome?.kind == outcome.kind)
      #expect((error.underlying is Mishap) == hasError)
    }
  }

  @Test("The error of a request is a sentence that says the fix")
  func descriptions() {
    let errors = [
      Outcome.failed(Mishap()), .cancelled, .superseded, .timedOut, .rejected(.full(at: .queue)), .shutDown,
      .abandoned, .leftOpen,
    ].map { StoreError(.ended($0)).description }
    #expect(Set(errors).count == errors.count)
    #expect(
      errors[3]
        == "The action did not finish within the time that its plan allows; request it again, or raise the timeout.")
    #expect(errors[4] == Rejection.full(at: .queue).description)
    #expect(errors.allSatisfy { $0.hasSuffix(".") })
  }
}
