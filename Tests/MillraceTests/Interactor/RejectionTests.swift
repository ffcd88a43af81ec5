import Millrace
import Testing

@Suite("Rejection")
struct RejectionTests {
  @Test(
    "A rejection is a sentence, with the fix where there is one",
    arguments: [
      (
        Rejection.shuttingDown,
        "The store is shut down and takes no more actions; send to a store that is running."
      ),
      (
        .notHandled,
        "The interactor has no `handle` for this action; write `handle`, or return another decision than `.handle` from "
          + "`decide`."
      ),
      (.decided(Mishap()), "The interactor decided against the action: a mishap"),
    ])
  func aRejectionIsASentence(rejection: Rejection, description: String) {
    #expect(rejection.description == description)
  }
}
