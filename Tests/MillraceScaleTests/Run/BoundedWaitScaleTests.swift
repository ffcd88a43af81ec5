import Dispatch
import MillraceTesting
import Synchronization
import Testing

@testable import Millrace

/// Calls of one thread that have to be done at once, while another thread commits step after step without a pause.
@Suite("Bounded wait", .timeLimit(.minutes(5)))
struct BoundedWaitScaleTests {
  /// The way in which the other thread makes its steps.
  enum Steps: CaseIterable {
    case sends, batches, emits
  }

  /// A call that waits for the turn.
  enum Call: CaseIterable {
    case cancelAll, cancelKey, cancelRun, setInterceptors, observe, shutDown

    func make(on store: Store<ClosureInteractor>, _ run: Receipt) {
      switch self {
      case .cancelAll: store.cancelAll()
      case .cancelKey: store.cancel(key: "k")
      case .cancelRun: run.cancel()
      case .setInterceptors: store.setInterceptors([Choosing<ClosureInteractor> { _, _ in .pass }])
      case .observe: _ = store.transitions().makeAsyncIterator()
      case .shutDown: store.core.beginShutdown(drainFor: .zero)
      }
    }
  }

  @Test(
    """
    R3: in 1,000 trials `cancelAll` waits for no more than the step in progress, and no send is rejected for it (it waited for \
    all 200)
    """, arguments: Steps.allCases)
  func cancelAllWaitsForOneStep(_ steps: Steps) async {
    await expectBoundedWaits(of: .cancelAll, during: steps, trials: max(scaled(1_000), 40))
  }

  @Test("R3: every call that is done at once waits for no more than the step in progress", arguments: Call.allCases)
  func everyCallWaitsForOneStep(_ call: Call) async {
    await expectBoundedWaits(of: call, during: .sends, trials: max(scaled(100), 40))
  }

  private func expectBoundedWaits(of call: Call, during steps: Steps, trials: Int) async {
    var (overtaken, unseen) = (0, 0)
    for _ in 0..<trials {
      let trial = Trial(steps)
      let caller = onThread { trial.call(call) }
      let sender = onThread { trial.commitSteps() }
      await caller.value
      await sender.value
      await trial.store.settle()
      if trial.watch.registered.load(ordering: .relaxed) > 1 { overtaken += 1 }
      if trial.watch.unregistered.load(ordering: .relaxed) > 1 { unseen += 1 }
      #expect(trial.store.core.overflowed.load(ordering: .relaxed) == 0)
    }
    #expect(overtaken == 0, "Steps began although a call was registered.")
    // The caller may lose its processor on the way to its registration, but rarely does.
    #expect(unseen <= trials / 20, "Calls waited without being registered.")
  }
}

/// One call during steps that end when it has returned.
private final class Trial: Sendable {
  let store: Store<ClosureInteractor>
  let watch: Watch
  private let steps: BoundedWaitScaleTests.Steps
  private let run: Receipt
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasReturned = Atomic(false)

  init(_ steps: BoundedWaitScaleTests.Steps) {
    self.steps = steps
    var configuration = StoreConfiguration()
    configuration.report = { _ in }  // Emits that come late are meant to.
    store = Store(initial: ClosureInteractor.State(), interactor: ClosureInteractor(), configuration: configuration)
    watch = Watch(store.core)
    run = store.send(.handle { _ in try await Gate().enter() })
  }

  /// Makes the call once the steps have begun.
  func call(_ call: BoundedWaitScaleTests.Call) {
    hasBegun.wait()
    call.make(on: store, run)
    hasReturned.store(true, ordering: .releasing)
  }

  /// Commits step after step until the call has returned.
  func commitSteps() {
    let watch = watch
    let mutation: ClosureInteractor.Mutation = { state in
      watch.look()
      state.count += 1
    }
    hasBegun.signal()
    switch steps {
    case .sends: while !isOver { for _ in 0..<200 { store.send(.write(mutation)) } }
    case .batches: while !isOver { store.send(contentsOf: Array(repeating: .write(mutation), count: 200)) }
    case .emits: store.send(.handle { run in while !self.isOver { run.emit(mutation) } })
    }
  }

  private var isOver: Bool { hasReturned.load(ordering: .acquiring) }
}

/// Counts the steps that end while a call waits for the turn.
private final class Watch: Sendable {
  private unowned let core: StoreCore<ClosureInteractor>

  /// Steps that end while a call is registered, so that the owner has to see it; at most the one in progress does.
  let registered = Atomic(0)

  /// Steps that end while a call waits that the owner cannot see.
  let unregistered = Atomic(0)

  init(_ core: StoreCore<ClosureInteractor>) {
    self.core = core
  }

  func look() {
    guard core.hasUrgentSteps else { return }
    if core.lock.hasQueuedWork {
      registered.add(1, ordering: .relaxed)
    } else {
      unregistered.add(1, ordering: .relaxed)
    }
  }
}
