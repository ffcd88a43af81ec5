/// Which threads are within an interception for a store, and what they put off until it is over.
@usableFromInline
final class Interceptions: Sendable {
  @usableFromInline
  typealias Work = @Sendable () -> Void

  private let putOff = Lock<[UInt: [Work]]>([:])

  /// Does `intercept`, then what was put off meanwhile on this thread, one after the other.
  @usableFromInline
  func withoutNesting<Result>(_ intercept: () -> Result) -> Result {
    let thread = currentThread()
    let isNested = putOff.withLock { putOff in
      if putOff[thread] != nil { return true }
      putOff[thread] = []
      return false
    }
    let result = intercept()
    if isNested { return result }
    while let works = takeWorks(of: thread) {
      for work in works { work() }
    }
    return result
  }

  /// Puts `work` off if this thread is within an interception; says whether it did.
  @usableFromInline
  func putOff(_ work: @escaping Work) -> Bool {
    let thread = currentThread()
    return putOff.withLock { putOff in
      guard putOff[thread] != nil else { return false }
      putOff[thread]?.append(work)
      return true
    }
  }

  /// All that the thread has put off; without any, it intercepts no more.
  private func takeWorks(of thread: UInt) -> [Work]? {
    putOff.withLock { putOff in
      let works = putOff[thread] ?? []
      putOff[thread] = works.isEmpty ? nil : []
      return works.isEmpty ? nil : works
    }
  }
}
