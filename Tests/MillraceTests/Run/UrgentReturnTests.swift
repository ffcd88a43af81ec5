import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Millrace

/// Calls that are done at once return soon after they took effect, while another thread does step after step.
@Suite("Return of urgent calls", .serialized, .timeLimit(.minutes(1)))
struct UrgentReturnTests {
  /// A call after which the store still takes actions.
  enum Call: CaseIterable {
    case cancelAll, cancelKey, cancelRun, setInterceptors

    func make(on store: Store<ClosureInteractor>, _ run: Receipt) {
      switch self {
      case .cancelAll: store.cancelAll()
      case .cancelKey: store.cancel(key: "k")
      case .cancelRun: run.cancel()
      case .setInterceptors: store.setInterceptors([Choosing<ClosureInteractor> { _, _ in .pass }])
      }
    }
  }

  // Callers yielded their processor in a loop, which gives up the rest of the slice: 25 to 95 steps passed in the median. The steps until a
  // thread continues that waited at a semaphore are the measure, because a busy machine makes both late.
  @Test(
    "R3: in the median a call returns within two steps more than a thread whose semaphore is signalled as it takes effect"
  )
  func callsReturnSoon() async {
    var (steps, measure): ([Int], [Int]) = ([], [])
    // A call that finds the lock free is none.
    for _ in 0..<500 where steps.count < 84 {
      for call in Call.allCases {
        if let late = await Self.stepsUntilReturn(of: call) { steps.append(late) }
        if let late = await Self.stepsUntilReturn(of: nil) { measure.append(late) }
      }
    }
    #expect(steps.count >= 84 && measure.count >= 84, "Most calls found the lock free.")
    #expect(
      steps.sorted()[steps.count / 2] <= measure.sorted()[measure.count / 2] + 2,
      "Steps until the return: \(steps.sorted()), and behind a signal: \(measure.sorted())")
  }

  /// The number of steps of another thread between the effect of a call and its return, or of a signal without one.
  private static func stepsUntilReturn(of call: Call?) async -> Int? {
    let trial = UrgentCall()
    let caller = onThread { trial.make(call) }
    let sender = onThread { trial.commitSteps(signalling: call == nil) }
    await caller.value
    await sender.value
    await trial.store.settle()
    return trial.stepsUntilReturn
  }

  // Threads that park leave a relief, which is a task, no thread of the pool to run on.
  @Test(
    "R3, L5: as many tasks as the pool has threads return from cancelAll, beside a sender that never stops and without one",
    arguments: [true, false])
  func aFullPoolOfCallersReturns(besideSender: Bool) async {
    let store = Store<ClosureInteractor>()
    let isOver = Atomic(false)
    let sender = onThread { while besideSender, !isOver.load(ordering: .relaxed) { store.send(.increment) } }
    await withTaskGroup { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          for _ in 0..<2_000 { store.cancelAll() }
        }
      }
    }
    isOver.store(true, ordering: .relaxed)
    await sender.value
    #expect(!store.core.hasUrgentSteps)
  }
}

/// One call during steps of some 200 µs, which end when it has returned.
private final class UrgentCall: Sendable {
  let store: Store<ClosureInteractor>
  private let run: Receipt
  private let hasBegun = DispatchSemaphore(value: 0)
  private let hasReturned = Atomic(false)
  private let wasRegistered = Atomic(false)
  private let steps = Atomic(0)
  private let waits = Atomic(false)
  private let signal = DispatchSemaphore(value: 0)

  init() {
    var configuration = StoreConfiguration()
    configuration.report = { _ in }  // Handlers that do not return are meant to.
    store = Store(initial: ClosureInteractor.State(), interactor: ClosureInteractor(), configuration: configuration)
    run = store.send(.handle { run in for await _ in AsyncStream<Void>.makeStream().stream {} })
  }

  /// The number of steps that began after the call took effect and before it returned; nil if it found the lock free.
  var stepsUntilReturn: Int? {
    wasRegistered.load(ordering: .relaxed) ? steps.load(ordering: .relaxed) : nil
  }

  /// Performs the call once the steps have begun; nil waits for a signal of a step.
  func make(_ call: UrgentReturnTests.Call?) {
    hasBegun.wait()
    if let call {
      call.make(on: store, run)
    } else {
      waits.store(true, ordering: .releasing)
      signal.wait()
    }
    hasReturned.store(true, ordering: .releasing)
  }

  /// Commits step after step until the call has returned.
  func commitSteps(signalling: Bool) {
    hasBegun.signal()
    while !isOver { store.send(.write { _ in signalling ? self.signallingStep() : self.step() }) }
  }

  private var isOver: Bool { hasReturned.load(ordering: .acquiring) }

  /// A step that signals the thread that waits, once.
  private func signallingStep() {
    if wasRegistered.load(ordering: .relaxed) {
      if !isOver { steps.add(1, ordering: .relaxed) }
    } else if waits.load(ordering: .acquiring) {
      wasRegistered.store(true, ordering: .relaxed)
      signal.signal()
    }
    pause(5_000)
  }

  private func step() {
    if store.core.hasUrgentSteps {
      wasRegistered.store(true, ordering: .relaxed)
    } else if wasRegistered.load(ordering: .relaxed), !isOver {
      steps.add(1, ordering: .relaxed)
    }
    pause(5_000)
    if store.core.hasUrgentSteps { wasRegistered.store(true, ordering: .relaxed) }
  }
}
