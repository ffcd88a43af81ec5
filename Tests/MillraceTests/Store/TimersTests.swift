import Foundation
import MillraceTesting
import Testing

@testable import Millrace

@Suite("Timers")
struct TimersTests {
  @Test("Any order of changes leaves the timers of a sorted list", arguments: 0..<50 as Range<UInt64>)
  func model(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (timers, model, order) = (Timers<Int>(), [Int: (time: Int64, order: Int)](), 0)
    for step in 0..<400 {
      let (id, time) = (Int.random(in: 0..<40, using: &random), Int64.random(in: -5...60, using: &random))
      if step % 100 < 60 || Bool.random(using: &random) {
        order += 1
        timers.set(id, at: time)
        model[id] = (time, order)
      } else {
        #expect(timers.remove(id) == model.removeValue(forKey: id)?.time)
      }
      let sorted = model.sorted { ($0.value.time, $0.value.order) < ($1.value.time, $1.value.order) }
      #expect(timers.count == model.count && timers.isEmpty == model.isEmpty)
      #expect(timers.earliest == sorted.first?.value.time)
      #expect(timers.time(of: id) == model[id]?.time)
      let now = Int64.random(in: -10...70, using: &random)
      #expect(timers.due(by: now) == sorted.filter { $0.value.time <= now }.map(\.key))
      #expect(timers.look(by: now).next == sorted.first { $0.value.time > now }?.value.time)
    }
  }

  @Test("Ids of one time are due in the order in which they were set, also after one was set anew")
  func ties() {
    var timers = Timers<String>()
    for id in ["a", "b", "c"] { timers.set(id, at: 7) }
    timers.set("a", at: 7)
    #expect(timers.due(by: 7) == ["b", "c", "a"])
    #expect(timers.due(by: 6).isEmpty)
  }

  @Test("Timers are encoded in their order, and decoded in it")
  func coding() throws {
    var timers = Timers<String>()
    for (id, time) in [("late", 90), ("b", 20), ("a", 20), ("never", .max), ("past", .min)] as [(String, Int64)] {
      timers.set(id, at: time)
    }
    let data = try JSONEncoder().encode(timers)
    let decoded = try JSONDecoder().decode(Timers<String>.self, from: data)
    #expect(decoded == timers)
    #expect(decoded.due(by: .max) == ["past", "b", "a", "late", "never"])
    let twice = Data(#"[{"id":"a","at":1},{"id":"a","at":2}]"#.utf8)
    #expect(try JSONDecoder().decode(Timers<String>.self, from: twice).time(of: "a") == 2)
  }

  @Test("Two values are equal if the same ids have the same times")
  func equality() {
    var (left, right) = (Timers<Int>(), Timers<Int>())
    for id in 0..<10 { left.set(id, at: Int64(id % 3)) }
    for id in (0..<10).reversed() { right.set(id, at: Int64(id % 3)) }
    #expect(left == right)
    right.set(4, at: 5)
    #expect(left != right)
    right.remove(4)
    #expect(left != right)
    right.set(10, at: 1)
    #expect(left != right)
  }

  @Test("A difference and a text of a state show the ids with their times")
  func texts() {
    var (before, after) = (Timers<String>(), Timers<String>())
    before.set("a", at: 1)
    after.set("a", at: 2)
    after.set("b", at: 3)
    #expect(ValueText.of(after, limit: 100) == #"["a": 2, "b": 3]"#)
    #expect(ValueDifference(from: before, to: after).lines == [#"["a"]: 1 → 2"#, #"["b"]: added 3"#])
  }
}
