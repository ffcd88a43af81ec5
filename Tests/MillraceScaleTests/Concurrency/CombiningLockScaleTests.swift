import Testing

@testable import Millrace

@Suite("CombiningLock under load", .timeLimit(.minutes(5)))
struct CombiningLockScaleTests {
  @Test("Eight tasks with a million steps in all: one at a time, each step once, each sender's in order")
  func eightTasksShareTheTurn() async {
    await shareTheTurn(each: scaled(125_000))
  }
}

/// A value that only the lock's holder touches, without a lock of its own.
private final class Guarded: @unchecked Sendable {
  var isInside = false
  var overlaps = 0
  var steps: [[Int]]

  init(senders: Int) {
    steps = Array(repeating: [], count: senders)
  }

  func step(_ sender: Int, _ number: Int) {
    if isInside { overlaps += 1 }
    isInside = true
    steps[sender].append(number)
    isInside = false
  }
}

/// Runs eight tasks that do numbered steps in each way there is, and checks the result.
private func shareTheTurn(each count: Int) async {
  let object = LockedObject()
  // The last number of each sender's urgent steps stands apart, for they may pass its left ones.
  let (ordinary, urgent) = (Guarded(senders: 8), Guarded(senders: 8))
  let missed = Box(0)
  await withTaskGroup { group in
    for sender in 0..<8 {
      group.addTask {
        for number in 0..<count {
          switch (number &+ sender) % 5 {
          case 0, 1:
            object.perform { ordinary.step(sender, number) }
          case 2:
            object.performUrgently { urgent.step(sender, number) }
            // What was urgent is done by now.
            object.performUrgently {
              if urgent.steps[sender].last != number { missed.update { $0 += 1 } }
            }
          case 3:
            if object.tryLock() {
              ordinary.step(sender, number)
              object.unlock()
            } else {
              object.enqueue { ordinary.step(sender, number) }
            }
          default:
            object.perform {
              object.perform { ordinary.step(sender, number) }
            }
          }
        }
      }
    }
  }
  await object.settle()
  await object.settle()
  #expect(ordinary.overlaps == 0)
  #expect(urgent.overlaps == 0)
  #expect(missed.value == 0)
  for sender in 0..<8 {
    let isUrgent = { (number: Int) in (number &+ sender) % 5 == 2 }
    let isNested = { (number: Int) in (number &+ sender) % 5 == 4 }
    #expect(urgent.steps[sender] == (0..<count).filter(isUrgent))
    #expect(ordinary.steps[sender].filter { !isNested($0) } == (0..<count).filter { !isUrgent($0) && !isNested($0) })
    #expect(ordinary.steps[sender].filter(isNested) == (0..<count).filter(isNested))
  }
}
