import Millrace
import Testing

@testable import MillraceReconcile

@Suite("ReconcilerError")
struct ReconcilerErrorTests {
  @Test(
    "Each reason is a sentence that says the fix",
    arguments: [
      (
        .alreadyRunning,
        "The reconciler runs already, and performs one operation at a time; wait until that run has returned, or make another "
          + "reconciler."
      ),
      (
        .timedOut,
        "The operation did not return in time; give the reconciler a longer timeout, or let `perform` heed cancellation and "
          + "do what is missing when it is called again."
      ),
      (
        .invalidTimeout,
        "The reconciler's timeout is over before it begins; give it one above zero, or nil for none."
      ),
      (.invalidAttempts, "The reconciler makes no attempt; give it 1 attempt or more."),
      (
        .invalidBackoff,
        "The reconciler's backoff shrinks or is negative; give it delays of zero or more, a factor of 1 or more, and a maximum "
          + "that is not below the initial delay."
      ),
    ] as [(ReconcilerError.Code, String)])
  func sentence(code: ReconcilerError.Code, sentence: String) {
    #expect(ReconcilerError(code).description == sentence)
    #expect(ReconcilerError(code).code == code)
  }
}
