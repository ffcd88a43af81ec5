import Millrace
import Testing

@Suite("Outcome")
struct OutcomeTests {
  @Test(
    "An outcome has a kind and says what happened, with the error it carries",
    arguments: [
      (Outcome.finished, Outcome.Kind.finished, "finished"),
      (.failed(Mishap()), .failed, "failed: a mishap"),
      (.cancelled, .cancelled, "cancelled"),
      (.shutDown, .shutDown, "ended by the shutdown of its store"),
      (
        .rejected(.shuttingDown), .rejected,
        "rejected: The store is shut down and takes no more actions; send to a store that is running."
      ),
      (
        .rejected(.notHandled), .rejected,
        "rejected: The interactor has no `handle` for this action; write `handle`, or return another decision than "
          + "`.handle` from `decide`."
      ),
      (
        .rejected(.decided(Mishap())), .rejected, "rejected: The interactor decided against the action: a mishap"
      ),
    ])
  func anOutcomeSaysWhatHappened(outcome: Outcome, kind: Outcome.Kind, description: String) {
    #expect(outcome.kind == kind)
    #expect(outcome.description == description)
  }

  @Test("A kind is described by its name", arguments: Outcome.Kind.allCases)
  func aKindIsDescribedByItsName(kind: Outcome.Kind) {
    #expect(kind.description == kind.rawValue)
    #expect(Outcome.Kind(rawValue: "\(kind)") == kind)
  }
}
