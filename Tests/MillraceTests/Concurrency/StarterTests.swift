import MillraceTesting
import Testing

@testable import Millrace

@Suite("Starter", .timeLimit(.minutes(1)))
struct StarterTests {
  /// Starts the ones that `next` names from inside its own start, and notes how deep starts are nested.
  private final class Link: Startable, @unchecked Sendable {
    struct Start: Equatable {
      var number: Int
      var depth: Int
      var immediately: Bool
    }

    let number: Int
    let act: @Sendable (Link, Bool) -> Void
    let task = Box<Task<Void, any Error>?>(nil)

    init(_ number: Int, _ act: @escaping @Sendable (Link, Bool) -> Void) {
      self.number = number
      self.act = act
      super.init()
    }

    override func makeTask(immediately: Bool) -> Task<Void, any Error>? {
      act(self, immediately)
      return Task {}
    }

    override func hasStarted(as task: Task<Void, any Error>) {
      self.task.value = task
    }
  }

  private func chain(_ links: Link...) -> StartChain {
    links.reduce(into: StartChain()) { $0.append($1) }
  }

  @Test("A chain gives its startables in order, also those of a chain that was appended")
  func aChainIsInOrder() {
    let links = (0..<5).map { Link($0) { _, _ in } }
    var first = chain(links[0], links[1])
    first.append(StartChain())
    first.append(chain(links[2], links[3]))
    first.append(links[4])
    var empty = StartChain()
    #expect(empty.isEmpty)
    empty.append(first)
    #expect(!empty.isEmpty)
    var numbers: [Int] = []
    while let start = empty.popFirst() as? Link { numbers.append(start.number) }
    #expect(numbers == [0, 1, 2, 3, 4])
    #expect(empty.isEmpty)
    empty.append(links[2])
    #expect(empty.popFirst() === links[2])
    #expect(empty.popFirst() == nil)
  }

  @Test("Startables are begun in order on this thread, and told of their tasks")
  func startsAreInOrder() {
    let starter = Starter()
    let begun = Notes<Int>()
    let links = (0..<3).map { Link($0) { link, _ in begun.note(link.number) } }
    starter.start(chain(links[0], links[1], links[2]))
    #expect(begun.all == [0, 1, 2])
    #expect(links.allSatisfy { $0.task.value != nil })
  }

  @Test(
    "L5: starts that are asked for from inside a start are begun after it, never nested; past the patience in the pool")
  func startsAreFlat() {
    let starter = Starter()
    let (depth, begun) = (Box(0), Notes<Link.Start>())
    let last = 2 * CombiningLock.patience
    @Sendable func link(_ number: Int) -> Link {
      Link(number) { link, immediately in
        depth.update { $0 += 1 }
        begun.note(Link.Start(number: link.number, depth: depth.value, immediately: immediately))
        if number < last {
          var next = StartChain()
          next.append(makeLink.value?(number + 1) ?? link)
          starter.start(next)
        }
        depth.update { $0 -= 1 }
      }
    }
    let makeLink = Box<(@Sendable (Int) -> Link)?>(nil)
    makeLink.value = { link($0) }
    starter.start(chain(link(0)))
    #expect(begun.all.map(\.number) == Array(0...last))
    #expect(begun.all.allSatisfy { $0.depth == 1 })
    #expect(begun.all.firstIndex { !$0.immediately } == CombiningLock.patience - 1)
    makeLink.value = nil
  }

  @Test("While one thread starts, what another asks for is begun in the pool")
  func anotherThreadGoesToThePool() async throws {
    let starter = Starter()
    let latch = Latch()
    let begun = Notes<String>()
    let owner = onThread {
      var own = StartChain()
      own.append(
        Link(0) { _, immediately in
          latch.pass()
          begun.note("own, immediately: \(immediately)")
        })
      starter.start(own)
    }
    try await latch.waitForArrival()
    starter.start(chain(Link(1) { _, immediately in begun.note("other, immediately: \(immediately)") }))
    #expect(begun.all == ["other, immediately: false"])
    latch.open()
    await owner.value
    #expect(begun.all == ["other, immediately: false", "own, immediately: true"])
    starter.start(chain(Link(2) { _, immediately in begun.note("later, immediately: \(immediately)") }))
    #expect(begun.all.last == "later, immediately: true")
  }
}
