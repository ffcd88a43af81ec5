import Testing

@testable import Millrace

@Suite("Outcome")
struct OutcomeTests {
  /// An outcome, and what it is to say of itself.
  struct Row: Sendable, CustomTestStringConvertible {
    let outcome: Outcome
    let kind: Outcome.Kind
    let description: String
    var cancelsHandler = false
    var rejectionKind: Rejection.Kind?

    var testDescription: String { description }
  }

  static let rows = [
    Row(outcome: .finished, kind: .finished, description: "finished"),
    Row(outcome: .failed(Mishap()), kind: .failed, description: "failed: a mishap"),
    Row(outcome: .cancelled, kind: .cancelled, description: "cancelled", cancelsHandler: true),
    Row(
      outcome: .superseded, kind: .superseded, description: "superseded by a later action of its key",
      cancelsHandler: true),
    Row(outcome: .timedOut, kind: .timedOut, description: "timed out", cancelsHandler: true),
    Row(
      outcome: .rejected(.full(at: .observer)), kind: .rejected,
      description:
        "rejected: A lossless observer is too far behind (`ObservationPolicy.lossless(pausesAt:endsAt:)`); `submit` instead, or make "
        + "the observer faster.", cancelsHandler: true, rejectionKind: .full),
    Row(
      outcome: .rejected(.shuttingDown), kind: .rejected,
      description: "rejected: The store is shut down and takes no more actions; send to a store that is running.",
      rejectionKind: .shuttingDown),
    Row(
      outcome: .rejected(.decided(Mishap())), kind: .rejected,
      description: "rejected: The interactor decided against the action: a mishap", rejectionKind: .decided),
    Row(outcome: .shutDown, kind: .shutDown, description: "ended by the shutdown of its store", cancelsHandler: true),
    Row(
      outcome: .abandoned, kind: .abandoned, description: "abandoned: it was found open after a crash"),
    Row(
      outcome: .leftOpen, kind: .leftOpen,
      description: "left open by the shutdown of its store, which continues it when it is opened again",
      cancelsHandler: true),
  ]

  @Test("An outcome has a kind and says what happened, with the error it carries", arguments: rows)
  func anOutcomeSaysWhatHappened(row: Row) {
    #expect(row.outcome.kind == row.kind)
    #expect(row.outcome.description == row.description)
  }

  @Test("Only `finished` is finished, and only an end from outside cancels the handler", arguments: rows)
  func anOutcomeIsFinishedOrCancelsTheHandler(row: Row) {
    #expect(row.outcome.isFinished == (row.kind == .finished))
    #expect(row.outcome.cancelsHandler == row.cancelsHandler)
  }

  @Test("Only a rejected outcome has a rejection, with its kind and its words", arguments: rows)
  func onlyARejectedOutcomeHasARejection(row: Row) {
    #expect(row.outcome.rejectionKind == row.rejectionKind)
    #expect(row.outcome.rejection?.kind == row.rejectionKind)
    #expect(row.outcome.rejection.map { "rejected: \($0)" } == (row.rejectionKind == nil ? nil : row.description))
  }

  @Test("Every kind is that of an outcome")
  func everyKindIsThatOfAnOutcome() {
    #expect(Set(Self.rows.map(\.kind)) == Set(Outcome.Kind.allCases))
  }

  @Test("A kind is known by its name", arguments: Outcome.Kind.allCases)
  func aKindIsKnownByItsName(kind: Outcome.Kind) {
    #expect(Outcome.Kind(rawValue: "\(kind)") == kind)
  }
}
