/// One suspended `submit`.
@usableFromInline
final class Submitter<I: Interactor>: Linked, @unchecked Sendable {
  /// Makes the run of the action, once that is accepted; written where all types are known.
  let makeRun: (ActionID, StoreCore<I>) -> ActiveRun<I>

  /// The run that submits, if one does.
  let sender: Ticket?
  let promise = Promise<Result<Receipt, any Error>>()

  /// Whether it stands in line, and its neighbours there.
  ///
  /// *With the lock.*
  var isInLine = false
  @usableFromInline var previous: Submitter?
  @usableFromInline var following: Submitter?

  @usableFromInline
  init(sender: Ticket?, makeRun: @escaping (ActionID, StoreCore<I>) -> ActiveRun<I>) {
    self.sender = sender
    self.makeRun = makeRun
  }
}
