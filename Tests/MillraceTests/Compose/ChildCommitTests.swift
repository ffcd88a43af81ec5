import MillraceTesting
import Testing

@testable import Millrace

/// The runs that a commit ends because their child was removed, and the children that the store looks at to find them.
@Suite("Commits and children", .timeLimit(.minutes(1)))
struct ChildCommitTests {
  typealias Room = ScriptedInteractor

  let looks = Looks()
  let gate = Gate()
  let runs = Recorder<Run<Room>>()
  let store: Store<Hotel>

  init() {
    store = Store(initial: Hotel.State(looks), interactor: Hotel())
  }

  /// An action whose run emits when the test tells it to, and ends at the latest with the test.
  private func stay(_ plan: Plan = .concurrent) -> Room.Action {
    .handle { [runs, gate] run in
      runs.record(run)
      await gate.enterIgnoringCancellation()
    }.planned(plan)
  }

  /// Sends an action that stays, and returns its receipt and its run.
  private func start<I>(
    _ store: Store<I>, plan: Plan = .concurrent, _ action: (Room.Action) -> I.Action
  ) async throws -> (receipt: Receipt, run: Run<Room>) {
    let receipt = store.send(action(stay(plan)))
    let run = try await runs.next()
    return (receipt, run)
  }

  private static let nothing: @Sendable (inout Hotel.State) -> Void = { _ in }

  @Test("A commit looks once at each child that it may have removed, whatever number of runs the child has")
  func looksOfACommit() async throws {
    var ofRoom1: [Run<Room>] = []
    for _ in 0..<1_000 { ofRoom1.append(try await start(store) { .room(1, $0) }.run) }
    let (first, last) = (ofRoom1[0], ofRoom1[999])
    let ofRoom2 = try await start(store) { .room(2, $0) }.run
    let attempt = try await start(store, plan: .concurrent.retry(2, backoff: .none)) { .room(2, $0) }.run
    let ofBar = try await start(store) { .bar($0) }.run
    let own = Box<Run<Hotel>?>(nil)
    let ownReceipt = store.send(
      .handle { [gate] _, _ in
        Effect { run in
          own.value = run
          await gate.enterIgnoringCancellation()
        }
      })
    let ownRun = try #require(own.value)
    let all = ["1": 1, "2": 1, "bar": 1]
    let table: [(String, @Sendable () -> Void, [String: Int])] = [
      ("an action of the parent is decided", { [store] in store.send(.commit(.change(Self.nothing))) }, all),
      (
        "an action of the parent is decided, and the rooms' scope says that it removes none",
        { [store] in store.send(.commit(.paint(Self.nothing))) }, ["bar": 1]
      ),
      (
        "an action of the parent is decided, and the rooms' scope names one of them, and one without runs",
        { [store] in store.send(.commit(.checkOut([2, 3], Self.nothing))) }, ["2": 1, "bar": 1]
      ),
      // A child's own part is looked up to plan, to bind the action if the plan has a key, and to decide.
      ("an action of a child without runs is decided", { [store] in store.send(.room(3, .commit("a"))) }, ["3": 2]),
      ("an action of a child is decided", { [store] in store.send(.room(1, .commit("a"))) }, ["1": 3]),
      (
        "several mutations of a child are decided",
        { [store] in store.send(.room(2, .decide { _ in .mutate(["a", "b"]) })) }, ["2": 4]
      ),
      (
        "an action of a child with a plan is decided",
        { [store] in store.send(.room(2, .commit("a").planned(.serial(key: "k")))) }, ["2": 4]
      ),
      ("an action of the optional child is decided", { [store] in store.send(.bar(.commit("a"))) }, ["bar": 3]),
      (
        "the parent decides by a decision of a child whose mutations it maps",
        { [store] in store.send(.mapped(1, .commit("a"))) }, all.merging(["1": 2]) { $1 }
      ),
      ("the first run of a child emits", { first.emit("a") }, ["1": 1]),
      ("the last run of a child emits", { last.emit("a") }, ["1": 1]),
      ("the run of another child emits", { ofRoom2.emit("a") }, ["2": 1]),
      ("an attempt of another child's run emits", { attempt.emit("a") }, ["2": 1]),
      ("the run of an optional child emits", { ofBar.emit("a") }, ["bar": 1]),
      ("the parent's run emits", { ownRun.emit(.change(Self.nothing)) }, all),
      ("the parent's run emits what removes no room", { ownRun.emit(.paint(Self.nothing)) }, ["bar": 1]),
    ]
    for (commit, perform, expected) in table {
      _ = looks.take()
      perform()
      #expect(looks.take() == expected, "\(commit)")
    }
    #expect(await store.bound == (1_003, 0, true))
    gate.open()
    #expect(await ownReceipt.outcome.kind == .finished)
    await store.shutdown(drainFor: .seconds(60))
    #expect(await store.bound == (0, 0, false))
    _ = looks.take()
    store.send(.commit(.change(Self.nothing)))
    #expect(looks.take() == [:])
  }

  @Test("A commit that closes an action is one of the parent")
  func closings() async throws {
    _ = try await start(store) { .room(1, $0) }
    let closing = try await start(store) { action in
      var action = action
      action.close = { _ in "out 1" }
      return .room(2, action)
    }
    closing.receipt.cancel()
    #expect(await closing.receipt.outcome.kind == .cancelled)
    #expect(await store.state.rooms[1] == nil)
    #expect(await store.bound == (0, 0, false))
    gate.open()
  }

  @Test("A child that its own mutation removes ends all its runs in the same step", arguments: [false, true])
  func removesItself(isPlanned: Bool) async throws {
    let plan = isPlanned ? Plan.concurrent.retry(2, backoff: .none) : .concurrent
    let first = try await start(store, plan: plan) { .room(1, $0) }
    let second = try await start(store) { .room(1, $0) }
    let other = try await start(store) { .room(2, $0) }
    #expect(first.run.emit("out 1"))
    #expect(!first.run.emit("late"))
    #expect(!second.run.emit("late"))
    #expect(await first.receipt.outcome.kind == .cancelled)
    #expect(await second.receipt.outcome.kind == .cancelled)
    #expect(await store.bound.runs == 1)
    gate.open()
    #expect(await other.receipt.outcome.kind == .finished)
    #expect(await store.bound == (0, 0, false))
  }

  @Test("A child that another child's mutation removes, which it must not, ends with the parent's next commit")
  func removesAnother() async throws {
    let first = try await start(store) { .room(1, $0) }
    let second = try await start(store) { .room(2, $0) }
    first.run.emit("out 2")
    first.run.emit("a")
    #expect(await store.bound == (2, 0, true))
    store.send(.commit(.paint(Self.nothing)))
    #expect(await store.bound == (2, 0, true))
    store.send(.commit(.change(Self.nothing)))
    #expect(await second.receipt.outcome.kind == .cancelled)
    #expect(await store.bound == (1, 0, true))
    gate.open()
    #expect(await first.receipt.outcome.kind == .finished)
  }

  @Test("A child that its decision removes ends its runs in the same step", arguments: [false, true])
  func isRemovedByItsDecision(isPlanned: Bool) async throws {
    let first = try await start(store) { .room(1, $0) }
    let second = try await start(store) { .room(2, $0) }
    let plan = isPlanned ? Plan.serial(key: "k") : .concurrent
    let decided = store.send(.room(1, Room.Action.decide { _ in .mutate(["a", "out 1"]) }.planned(plan)))
    #expect(!first.run.emit("late"))
    #expect(await first.receipt.outcome.kind == .cancelled)
    #expect(await decided.outcome.kind == .finished)
    #expect(await store.bound.runs == 1)
    gate.open()
    #expect(await second.receipt.outcome.kind == .finished)
    #expect(await store.bound == (0, 0, false))
  }

  @Test("A mutation whose scope names the child that it removes ends the runs of that child, once")
  func namedChildren() async throws {
    let first = try await start(store) { .room(1, $0) }
    let second = try await start(store) { .room(2, $0) }
    store.send(.commit(.checkOut([2, 2, 4]) { $0.rooms[2] = nil }))
    #expect(await second.receipt.outcome.kind == .cancelled)
    #expect(await store.bound.runs == 1)
    store.send(.commit(.checkOut([2]) { $0.rooms[1] = nil }))
    #expect(await store.bound.runs == 1)
    store.send(.commit(.checkOut([1]) { _ in }))
    #expect(await first.receipt.outcome.kind == .cancelled)
    #expect(await store.bound == (0, 0, false))
    gate.open()
  }

  @Test("A scope that is wrong about a mutation lets the child's runs last until a commit that may remove it")
  func wrongScope() async throws {
    let first = try await start(store) { .room(1, $0) }
    store.send(.commit(.paint { $0.rooms[1] = nil }))
    #expect(await store.bound == (1, 0, true))
    first.run.emit("a")
    #expect(await first.receipt.outcome.kind == .cancelled)
    gate.open()
  }

  @Test(
    "A mutation that a child's run emits while another thread has the lock is one of that child too",
    arguments: [false, true])
  func behindOthers(isPlanned: Bool) async throws {
    let plan = isPlanned ? Plan.concurrent.retry(2, backoff: .none) : .concurrent
    let first = try await start(store, plan: plan) { .room(1, $0) }
    let second = try await start(store) { .room(2, $0) }
    let latch = Latch()
    let thread = onThread { [store] in store.send(.commit(.paint { _ in latch.pass() })) }
    try await latch.waitForArrival()
    _ = looks.take()
    #expect(first.run.emit("out 1"))
    latch.open()
    await thread.value
    #expect(await first.receipt.outcome.kind == .cancelled)
    // By the commit, and by the closing, which another child in its place would not get.
    #expect(looks.take() == ["1": 2])
    gate.open()
    #expect(await second.receipt.outcome.kind == .finished)
  }

  @Test("Runs of removed children end in the order in which they began")
  func order() async throws {
    let store = Store(initial: Hotel.State(looks, rooms: 1...40), interactor: Hotel())
    let ends = Recorder<Int>()
    let order = Array((1...40).reversed()) + Array(1...40)
    for (number, room) in order.enumerated() {
      _ = try await start(store) { action in
        var action = action
        action.close = { _ in
          ends.record(number)
          return nil
        }
        return .room(room, action)
      }
    }
    store.send(.commit(.change { $0.rooms = [:] }))
    #expect(ends.recorded == Array(0..<80))
    #expect(await store.bound == (0, 0, false))
    gate.open()
  }

  @Test("A mutation that the parent makes of a child's is one of the parent")
  func mappedMutations() async throws {
    let stay = stay()
    let mapped = store.send(
      .handle { hotel, state in
        await hotel.rooms.handle(stay, of: 1, state: state).mapMutations { _ in .change { $0.rooms[2] = nil } }
      })
    let run = try await runs.next()
    let removed = try await start(store) { .room(2, $0) }
    _ = looks.take()
    run.emit("a")
    #expect(looks.take() == ["1": 1, "2": 2])
    #expect(await removed.receipt.outcome.kind == .cancelled)
    store.send(.commit(.paint(Self.nothing)))
    #expect(looks.take() == [:])
    gate.open()
    #expect(await mapped.outcome.kind == .finished)
  }

  @Test("The children of a part of several are those of the whole, and their scope is asked about its mutations")
  func combined() async throws {
    let store = Store(initial: Hotel.State(looks), interactor: Combined(Quiet(), Hotel()))
    let first = try await start(store) { .room(1, $0) }
    let second = try await start(store) { .room(2, $0) }
    _ = looks.take()
    store.send(.commit(.paint(Self.nothing)))
    #expect(looks.take() == [:])
    store.send(.commit(.change(Self.nothing)))
    #expect(looks.take() == ["1": 1, "2": 1])
    first.run.emit("out 1")
    #expect(looks.take() == ["1": 2])
    #expect(await first.receipt.outcome.kind == .cancelled)
    gate.open()
    #expect(await second.receipt.outcome.kind == .finished)
    #expect(await store.bound == (0, 0, false))
  }

  /// A part of a hotel that does nothing.
  private struct Quiet: Interactor {
    func decide(_ action: Hotel.Action, state: Hotel.State) -> Decision<Hotel.Mutation> { .ignore }
    static func reduce(into state: inout Hotel.State, mutation: Hotel.Mutation) {}
    typealias Mutations = Effect<Self>
  }

  // MARK: Children of children

  @Test("After a mutation of a child the store looks at that child and its own children, and at no sibling or ancestor")
  func nested() async throws {
    let store = Store(initial: HotelChain.State(), interactor: HotelChain())
    let looks = await store.state.looks
    let own = Box<Run<Hotel>?>(nil)
    store.send(
      .hotel(
        "A",
        .handle { [gate] _, _ in
          Effect { run in
            own.value = run
            await gate.enterIgnoringCancellation()
          }
        }))
    let hotel = try #require(own.value)
    var receipts: [Receipt] = []
    var rooms: [Run<Room>] = []
    for (name, room) in [("A", 1), ("A", 2), ("B", 1)] {
      let started = try await start(store) { .hotel(name, .room(room, $0)) }
      receipts.append(started.receipt)
      rooms.append(started.run)
    }
    let roomA1 = rooms[0]
    let table: [(String, @Sendable () -> Void, [String: Int])] = [
      ("a room's run emits", { roomA1.emit("a") }, ["A": 1, "A 1": 1]),
      ("its hotel's run emits", { hotel.emit(.paint(Self.nothing)) }, ["A": 3, "A 1": 1, "A 2": 1]),
      // Hotel A is looked up to decide, too.
      (
        "a room's action is decided", { store.send(.hotel("A", .room(1, .commit("a")))) },
        ["A": 4, "A 1": 2, "A 2": 1]
      ),
      (
        "the chain's mutation is decided", { store.send(.change { _ in }) },
        ["A": 3, "A 1": 1, "A 2": 1, "B": 1, "B 1": 1]
      ),
    ]
    for (commit, perform, expected) in table {
      _ = looks.take()
      perform()
      #expect(looks.take() == expected, "\(commit)")
    }
    hotel.emit(.change { $0.rooms[1] = nil })
    #expect(await receipts[0].outcome.kind == .cancelled)
    #expect(await store.bound.runs == 3)
    store.send(.change { $0.hotels["A"] = nil })
    #expect(await receipts[1].outcome.kind == .cancelled)
    #expect(await store.bound.runs == 1)
    gate.open()
    #expect(await receipts[2].outcome.kind == .finished)
    #expect(await store.bound == (0, 0, false))
  }

  /// The positions of two hotels with equal rooms.
  enum Twins: CaseIterable {
    case scopeAndKeyPath, mapped

    func left(_ action: Room.Action) -> HotelChain.Action {
      self == .mapped ? .mapped(isLeft: true, .room(1, action)) : .left(.room(1, action))
    }

    func right(_ action: Room.Action) -> HotelChain.Action {
      self == .mapped ? .mapped(isLeft: false, .room(1, action)) : .right(.room(1, action))
    }
  }

  @Test("Equal children of two parts are two children", arguments: Twins.allCases)
  func equalChildren(twins: Twins) async throws {
    let store = Store(initial: HotelChain.State(), interactor: HotelChain())
    let looks = await store.state.looks
    let left = try await start(store, twins.left)
    let right = try await start(store, twins.right)
    _ = looks.take()
    store.send(.change { _ in })
    #expect(looks.take() == ["left 1": 1, "right 1": 1])
    if twins == .scopeAndKeyPath {
      store.send(.left(.room(1, .commit("a"))))
      #expect(looks.take() == ["left 1": 2])
      store.send(.right(.room(1, .commit("a"))))
      #expect(looks.take() == ["right 1": 2])
    }
    left.run.emit("a")
    #expect(looks.take() == (twins == .mapped ? ["left 1": 1, "right 1": 1] : ["left 1": 1]))
    store.send(.change { $0.right.rooms[1] = nil })
    #expect(await right.receipt.outcome.kind == .cancelled)
    #expect(await store.bound.runs == 1)
    left.run.emit("out 1")
    #expect(await left.receipt.outcome.kind == .cancelled)
    #expect(await store.bound == (0, 0, false))
    gate.open()
  }
}
