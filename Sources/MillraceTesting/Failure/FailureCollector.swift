/// Takes failures in place of the test.
///
/// A class, because the release optimiser of Swift 6.3 leaves out the type of a task-local closure, which the runtime needs.
final class FailureCollector: Sendable {
  let collect: @Sendable (Failure) -> Void

  init(_ collect: @escaping @Sendable (Failure) -> Void) {
    self.collect = collect
  }
}
