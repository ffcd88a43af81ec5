import Synchronization

/// One call of `handle` for a run whose plan may lead to several, or gives each its time.
///
/// It stands between the run and the handler, so that nothing of an attempt that was given up reaches the run.
@usableFromInline
final class Attempt<I: Interactor>: Startable, @unchecked Sendable {
  @usableFromInline let run: ActiveRun<I>
  @usableFromInline let core: StoreCore<I>

  /// Counted from 1.
  @usableFromInline let number: Int

  private let over = Atomic(false)

  @usableFromInline
  init(_ number: Int, of run: ActiveRun<I>, at core: StoreCore<I>) {
    self.number = number
    self.run = run
    self.core = core
    super.init()
  }

  /// Whether it has returned or was given up; set with the lock, read by anybody.
  @usableFromInline var isOver: Bool { over.load(ordering: .acquiring) }

  /// Lets nothing of it be committed any more.
  ///
  /// *With the lock.*
  func willEnd() {
    over.store(true, ordering: .releasing)
  }

  override func begin(immediately: Bool) -> Task<Void, Never>? {
    core.code(core, .attempt(self, immediately: immediately))
  }

  override func hasStarted(as task: Task<Void, Never>) {
    run.hasStarted(as: task, isCurrent: { !self.isOver })
  }
}
