import Flags
import Millrace
import Report

let flags = Store(initial: FeatureFlags.State(), interactor: FeatureFlags { ["retry", "trace"] })
let reload = await flags.send(.reload).outcome
print("flags \(reload): \(await flags.state.enabled.sorted().joined(separator: ", "))")

let report = Store(initial: Answers.State(), interactor: Answers())
let load = Store(
  initial: Load.State(),
  interactor: Load(report: report) { number in
    await Task.detached { number % 10 == 0 ? 503 : 200 }.value
  })
load.send(.start(requests: 1000))
for await state in load.states where state.isDone {
  print("load done: \(state.answered) answered")
  break
}

let refused = await report.send(.answered(status: 42)).outcome
let counts = await report.state.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value) times" }
print("report \(refused.kind): \(counts.joined(separator: ", "))")

for outcome in [await load.send(.start(requests: 1)).outcome, await flags.send(.reload).outcome] {
  print("again \(outcome)")
}
await load.shutdown()
await report.shutdown()
await flags.shutdown()
print("after the shutdown \(await load.send(.start(requests: 1)).outcome.kind)")
