import Testing

@testable import MillraceTesting

/// Tables of events and actions; who is resumed is a word here.
@Suite("HeldCallState")
struct HeldCallStateTests {
  typealias State = HeldCallState<String, Int, String, String>

  enum Event {
    case arrive(String, String)
    case arriveCancelled(String, String)
    case release(Int)
    case cancel
    case abandon
    case watch(String, Int)
    case watchCancelled(String, Int)
    case cancelWatch(Int)
  }

  /// An event, and who is resumed with what: "w: a" a watcher with the request, "c = 1" the caller with a response.
  struct Step {
    var event: Event
    var resumed: [String]

    init(_ event: Event, _ resumed: String...) {
      self.event = event
      self.resumed = resumed
    }
  }

  private func check(_ steps: [Step], request: String?) {
    var state = State()
    for (index, step) in steps.enumerated() {
      #expect(text(apply(step.event, to: &state)) == step.resumed, "step \(index): \(step.event)")
    }
    #expect(state.request == request)
  }

  private func apply(_ event: Event, to state: inout State) -> State.Actions {
    switch event {
    case .arrive(let caller, let request): state.arrive(caller, request, isCancelled: false)
    case .arriveCancelled(let caller, let request): state.arrive(caller, request, isCancelled: true)
    case .release(let response): state.settle(.success(response)).actions
    case .cancel: state.cancel()
    case .abandon: state.abandon()
    case .watch(let watcher, let id): state.watch(watcher, id: id, isCancelled: false)
    case .watchCancelled(let watcher, let id): state.watch(watcher, id: id, isCancelled: true)
    case .cancelWatch(let id): state.cancelWatch(id)
    }
  }

  private func text(_ actions: State.Actions) -> [String] {
    var texts = actions.watchers.map { "\($0): \(actions.request ?? "cancelled")" }
    guard let caller = actions.caller else { return texts }
    switch actions.result {
    case .success(let response)?: texts.append("\(caller) = \(response)")
    case .failure(let error as FakeGatewayError)?: texts.append("\(caller) ! \(error.code == .finished)")
    case .failure?: texts.append("\(caller) !")
    case nil: texts.append("\(caller) cancelled")
    }
    return texts
  }

  @Test("A call stands until it is released; those who wait for it are told first")
  func released() {
    check(
      [
        Step(.watch("early", 1)), Step(.arrive("call", "a"), "early: a"), Step(.watch("late", 2), "late: a"),
        Step(.release(1), "call = 1"), Step(.release(2)), Step(.cancel), Step(.watch("after", 3), "after: a"),
      ], request: "a")
  }

  @Test("A call that is released before it comes does not stand, and those who wait for it are told")
  func releasedBefore() {
    check(
      [
        Step(.release(1)), Step(.release(2)), Step(.watch("w", 1)), Step(.arrive("call", "a"), "w: a", "call = 1"),
        Step(.abandon),
      ], request: "a")
  }

  @Test("A call whose task is cancelled ends, whenever that comes, and a release comes too late")
  func cancelled() {
    check(
      [Step(.arrive("call", "a")), Step(.cancel, "call cancelled"), Step(.release(1)), Step(.cancel)], request: "a")
    check([Step(.cancel), Step(.arriveCancelled("call", "a"), "call cancelled"), Step(.release(1))], request: "a")
    check([Step(.release(1)), Step(.arriveCancelled("call", "a"), "call cancelled")], request: "a")
  }

  @Test(
    "At the end a call that stands fails, who waits for one is cancelled, and a call that comes later fails at once")
  func abandoned() {
    check([Step(.arrive("call", "a")), Step(.abandon, "call ! true"), Step(.release(1))], request: "a")
    check(
      [
        Step(.watch("w", 1)), Step(.abandon, "w: cancelled"), Step(.watch("late", 2), "late: cancelled"),
        Step(.arrive("call", "a"), "call ! true"),
      ], request: nil)
  }

  @Test("A wait for a call ends when its task is cancelled, and not again by the call")
  func watchCancelled() {
    check(
      [
        Step(.watch("w", 1)), Step(.cancelWatch(1), "w: cancelled"), Step(.cancelWatch(1)),
        Step(.watchCancelled("late", 2), "late: cancelled"), Step(.arrive("call", "a")),
        Step(.watchCancelled("after", 3), "after: cancelled"),
      ], request: "a")
  }

  @Test("A word of the test counts once, and is said to come too late, or after another, or after the end")
  func effects() {
    func effects(_ events: Event..., words: Int = 2) -> [State.Effect] {
      var state = State()
      for event in events { _ = apply(event, to: &state) }
      return (0..<words).map { state.settle(.success($0)).effect }
    }
    #expect(effects() == [.counts, .repeated(wasCancelled: false)])
    #expect(effects(.arrive("call", "a")) == [.counts, .repeated(wasCancelled: false)])
    #expect(effects(.arrive("call", "a"), .cancel) == [.tooLate, .repeated(wasCancelled: true)])
    #expect(effects(.arriveCancelled("call", "a")) == [.tooLate, .repeated(wasCancelled: true)])
    #expect(effects(.release(1), .arriveCancelled("call", "a"), words: 1) == [.repeated(wasCancelled: true)])
    #expect(effects(.release(1), .arrive("call", "a"), words: 1) == [.repeated(wasCancelled: false)])
    #expect(effects(.arrive("call", "a"), .abandon, words: 1) == [.afterTheEnd(hasCome: true)])
    #expect(effects(.abandon, words: 1) == [.afterTheEnd(hasCome: false)])
    #expect(effects(.arrive("call", "a"), .cancel, .abandon) == [.tooLate, .repeated(wasCancelled: true)])
  }

  @Test("Each id is a new one")
  func idsAreNew() {
    var state = State()
    #expect((0..<3).map { _ in state.makeID() } == [1, 2, 3])
  }
}
