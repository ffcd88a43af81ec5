import Testing

@testable import Millrace

@Suite("Rejection")
struct RejectionTests {
  /// A rejection, and what it is to say of itself.
  struct Row: Sendable, CustomTestStringConvertible {
    let rejection: Rejection
    let kind: Rejection.Kind
    let description: String

    var testDescription: String { "\(kind)" }
  }

  static let rows = [
    Row(
      rejection: .full(at: .room), kind: .full,
      description:
        "Neither a slot (`Limits.runsInFlight`) nor room to wait (`Limits.actionsWaiting`) is free; send less, `submit` instead, or "
        + "raise `StoreConfiguration.limits`."),
    Row(
      rejection: .exclusive, kind: .exclusive,
      description: "An action of the same exclusive key has not ended; send it again after that."),
    Row(
      rejection: .throttled, kind: .throttled,
      description: "An action of the same key went before it within the throttle's interval; send it again after "
        + "that."),
    Row(
      rejection: .breakerOpen, kind: .breakerOpen,
      description: "The breaker is open because the actions before failed; send it again when the breaker lets one "
        + "through."),
    Row(
      rejection: .shuttingDown, kind: .shuttingDown,
      description: "The store is shut down and takes no more actions; send to a store that is running."),
    Row(
      rejection: .intercepted("no"), kind: .intercepted, description: "An interceptor rejected the action: no"),
    Row(
      rejection: .notHandled, kind: .notHandled,
      description: "The interactor has no `handle` for this action; write `handle`, or return another decision than "
        + "`.handle` from `decide`."),
    Row(
      rejection: .invalidPlan("A plan is wrong; make it right."), kind: .invalidPlan,
      description: "A plan is wrong; make it right."),
    Row(
      rejection: .journal(Mishap()), kind: .journal, description: "The journal did not take the action: a mishap"),
    Row(
      rejection: .decided(Mishap()), kind: .decided,
      description: "The interactor decided against the action: a mishap"),
    Row(
      rejection: .missingChild(Rejection.MissingChild(of: Int.self, child: String.self, id: 7)), kind: .missingChild,
      description:
        "Swift.Int has no Swift.String with the id 7; add the child before an action is sent to it, and send it "
        + "none once it is removed."),
    Row(
      rejection: .notSent("A run cannot send it; let another one."), kind: .notSent,
      description: "A run cannot send it; let another one."),
    Row(
      rejection: .erased, kind: .erased,
      description: "The key is being erased; send it again after that, to a store that begins anew."),
    Row(
      rejection: .notOwner("host:80"), kind: .notOwner,
      description: "Another process owns the key; send it to host:80."),
  ]

  @Test("A rejection has a kind and is a sentence, with the fix where there is one", arguments: rows)
  func aRejectionIsASentence(row: Row) {
    #expect(row.rejection.kind == row.kind)
    #expect(row.rejection.description == row.description)
  }

  @Test("A rejection by a process that does not know the owner says how to learn it")
  func unknownOwner() {
    let rejection = Rejection.notOwner(nil)
    #expect(rejection.kind == .notOwner)
    #expect(
      rejection.description
        == "Another process owns the key, or is about to; ask `owner(of:)` for its address, and send it there.")
  }

  @Test("Every kind is that of a rejection")
  func everyKindIsThatOfARejection() {
    #expect(Rejection.Kind.allCases == Self.rows.map(\.kind))
  }
}
