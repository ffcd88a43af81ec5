import Millrace
import Testing

@testable import MillraceTesting

@Suite("Suspension", .timeLimit(.minutes(1)))
struct SuspensionTests {
  @Test(
    "A cancellation between the look at the task and the registration ends the wait; once it was lost, and the wait hung"
  )
  func cancelledWhileRegistering() async {
    let registered = Box<Suspension<Void>?>(nil)
    let task = Task {
      try await suspend { (suspension: Suspension<Void>, isCancelled) in
        #expect(!isCancelled())
        // It finds nothing to cancel, for nothing is registered yet.
        withUnsafeCurrentTask { $0?.cancel() }
        registered.value = suspension
      } onCancel: {
        let suspension = registered.value
        registered.value = nil
        suspension?.resume(returning: nil)
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
