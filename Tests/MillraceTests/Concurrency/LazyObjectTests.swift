import MillraceTesting
import Testing

@testable import Millrace

@Suite("LazyObject", .timeLimit(.minutes(1)))
struct LazyObjectTests {
  private final class Owner: Sendable {
    let lazy = LazyObject<ReleaseRecorder>()
  }

  @Test("There is no object before one is kept, and the first one that is kept stays")
  func theFirstStays() {
    let owner = Owner()
    let (first, second) = (ReleaseRecorder(Recorder()), ReleaseRecorder(Recorder()))
    #expect(owner.lazy.load() == nil)
    #expect(owner.lazy.storeIfNil(first) === first)
    #expect(owner.lazy.storeIfNil(second) === first)
    #expect(owner.lazy.load() === first)
  }

  @Test("The object that is kept lives as long as its owner, and one that is not kept is released at once")
  func lifetime() {
    let (kept, other) = (Recorder<Void>(), Recorder<Void>())
    var owner: Owner? = Owner()
    _ = owner?.lazy.storeIfNil(ReleaseRecorder(kept))
    _ = owner?.lazy.storeIfNil(ReleaseRecorder(other))
    #expect(kept.recorded.isEmpty)
    #expect(other.recorded.count == 1)
    owner = nil
    #expect(kept.recorded.count == 1)
  }

  @Test("Of many threads that make one at once, all get the same")
  func manyThreads() async {
    for _ in 0..<200 {
      let owner = Owner()
      let found = await withTaskGroup(of: ObjectIdentifier.self) { group in
        for _ in 0..<4 {
          group.addTask { ObjectIdentifier(owner.lazy.storeIfNil(ReleaseRecorder(Recorder()))) }
        }
        return await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(found.count == 1)
    }
  }
}
