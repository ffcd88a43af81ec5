import Millrace
import MillraceBenchmarksDefaults
import Synchronization

/// The largest number of actions in flight.
private let wave = 1_000

/// Handling actions that suspend.
let handleRows: [Row] = [
  Row(name: "reference/task-immediate-yield") { size in
    let tally = Guarded(Tally())
    return await waves(size.scaled(300_000)) { countdown in
      Task.immediate {
        tally.value.withLock { apply(.loading, to: &$0) }
        await Task.yield()
        tally.value.withLock { apply(.loaded(countdown), to: &$0) }
      }
    }
  },
  Row(name: "handle/effect", reference: "reference/task-immediate-yield", target: 1.4) { size in
    let store = Store(initial: Tally(), interactor: Effecting())
    return await waves(size.scaled(300_000)) { store.send($0) }
  },
  Row(name: "handle/effect-without-nonsending", reference: "reference/task-immediate-yield") {
    size in
    let store = Store(initial: HandlingOnThePool.State(), interactor: HandlingOnThePool())
    return await waves(size.scaled(300_000)) { store.send($0) }
  },
  Row(name: "reference/async-stream-handler") { size in
    let tally = Guarded(Tally())
    return await waves(size.scaled(50_000)) { countdown in
      Task.immediate {
        for await change in loadingStream(countdown) {
          tally.value.withLock { apply(change, to: &$0) }
        }
      }
    }
  },
  Row(name: "handle/async-stream", reference: "reference/async-stream-handler", target: 1.25) {
    size in
    let store = Store(initial: Tally(), interactor: Streaming())
    return await waves(size.scaled(50_000)) { store.send($0) }
  },
]

extension Countdown: Arrivals {}

/// Nanoseconds an action, in waves that each wait for the last of their actions.
func waves(_ count: Int, _ begin: (Countdown) -> Void) async -> Figure {
  let waves = max(count / wave, 1)
  return await perItem(waves * wave) {
    for _ in 0..<waves {
      let countdown = Countdown(wave)
      for _ in 0..<wave { begin(countdown) }
      await countdown.wait()
    }
  }
}
