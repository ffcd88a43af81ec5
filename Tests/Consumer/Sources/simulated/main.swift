import Foundation
import Millrace
import MillraceTesting

// What a simulation sees of the system where Swift's libraries are linked statically, which docs/simulation.md tells.

func notes(_ name: String, _ body: @escaping Simulation.Body) async {
  let report = await Simulation.run(seeds: 0..<3, body)
  print("\(name): \(report.failures.isEmpty ? "\(report.worlds) worlds hold" : "one fails")")
}

// Another thread resumes the task, and in a few worlds that is not seen.
func notesEscape(_ name: String, _ body: @escaping Simulation.Body) async {
  let report = await Simulation.run(seeds: 0..<100, body)
  print("\(name): \(report.failures.isEmpty ? "\(report.worlds) worlds hold" : "one fails")")
}

final class Seen: @unchecked Sendable {
  var texts: [UInt64: String] = [:]
}
let seen = Seen()

// Each seed is run twice, and is to see the same.
for _ in 0..<2 {
  await notes("wall time, random numbers and identifiers") { world in
    let text = "\(Date().timeIntervalSince1970) \(Int.random(in: 0..<1_000_000)) \(UUID())"
    world.expect(seen.texts[world.seed] == nil || seen.texts[world.seed] == text, "a seed gives the same each time")
    seen.texts[world.seed] = text
  }
}
await notes("the world's clock") { world in
  try await world.clock.sleep(for: .seconds(86_400))
}
await notes("clocks that tasks sleep on") { world in
  let start = ContinuousClock.now
  try await world.clock.sleep(for: .seconds(86_400))
  world.expect(start.duration(to: .now) < .seconds(86_400), "they are those of the system")
}
await notes("a thread") { _ in
  Thread.detachNewThread {}
}
await notesEscape("a task that yields") { _ in
  await Task.yield()
}
await notesEscape("a sleep on a clock of the system") { _ in
  try await Task.sleep(for: .milliseconds(1))
}
