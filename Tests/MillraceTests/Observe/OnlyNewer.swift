import Testing

@testable import Millrace

extension Store<ClosureInteractor> {
  /// Expects that the counts that four observers see while eight tasks send only get newer, up to the last one.
  func expectOnlyNewer<Counts: AsyncSequence<Int, Never> & SendableMetatype>(
    _ counts: @escaping @Sendable () -> Counts, sourceLocation: SourceLocation = #_sourceLocation
  ) async where Counts.AsyncIterator: SendableMetatype {
    let (senders, each) = (8, 500)
    let observers = (0..<4).map { _ in
      Task {
        var seen: [Int] = []
        for await count in counts() {
          seen.append(count)
          if count == senders * each { break }
        }
        return seen
      }
    }
    await withTaskGroup { group in
      for _ in 0..<senders {
        group.addTask {
          for _ in 0..<each { self.send(.increment) }
        }
      }
    }
    for observer in observers {
      let seen = await observer.value
      #expect(seen.last == senders * each, sourceLocation: sourceLocation)
      #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 }, sourceLocation: sourceLocation)
    }
  }
}
