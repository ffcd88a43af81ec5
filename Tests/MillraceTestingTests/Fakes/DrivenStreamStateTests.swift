import Testing

@testable import MillraceTesting

/// Tables of events and actions; who is resumed is a word here, and so is where elements go.
@Suite("DrivenStreamState")
struct DrivenStreamStateTests {
  typealias State = DrivenStreamState<String, Int, String, String>

  enum Event {
    case open(String, String)
    case yield(Int)
    case finish
    case fail
    case leave
    case abandon
    case watch(String, Int, forEnd: Bool)
    case watchCancelled(String, Int)
    case cancelWatch(Int)
  }

  /// An event, and what it does, in words.
  struct Step {
    var event: Event
    var text: String

    init(_ event: Event, _ text: String = "") {
      self.event = event
      self.text = text
    }
  }

  private func check(_ steps: [Step], request: String?, ending: String?) {
    var state = State()
    for (index, step) in steps.enumerated() {
      #expect(apply(step.event, to: &state) == step.text, "step \(index): \(step.event)")
    }
    #expect(state.request == request)
    #expect(state.ending.map(text) == ending)
  }

  private func apply(_ event: Event, to state: inout State) -> String {
    switch event {
    case .open(let sink, let request): text(state.open(sink, request))
    case .yield(let element): text(state.yield(element))
    case .finish: text(state.end(.replied))
    case .fail: text(state.end(.failed(Offline())))
    case .leave: text(state.leave())
    case .abandon: text(state.abandon())
    case .watch(let waiter, let id, let forEnd): text(state.watch(waiter, id: id, forEnd: forEnd, isCancelled: false))
    case .watchCancelled(let waiter, let id): text(state.watch(waiter, id: id, forEnd: false, isCancelled: true))
    case .cancelWatch(let id): text(state.cancelWatch(id))
    }
  }

  private func text(_ ending: FakeEnding) -> String {
    switch ending {
    case .failed(let error as FakeGatewayError): "\(error.code == .finished ? "abandoned" : "other")"
    case .failed: "failed"
    case .replied, .cancelled, .unexpected: "\(ending)"
    }
  }

  private func text(_ action: WakeAction<String>) -> String {
    (action.woken.map { "wake \($0)" } + (action.cancelled.map { ["cancel \($0)"] } ?? [])).joined(separator: ", ")
  }

  private func text(_ actions: State.Actions?) -> String {
    guard let actions else { return "too late" }
    let sink = actions.sink.map { ["\($0)\(actions.elements)"] } ?? []
    let ending = actions.ending.map { [text($0)] } ?? []
    return (sink + ending + [text(actions.wake)]).filter { !$0.isEmpty }.joined(separator: ", ")
  }

  @Test("Elements and the end go to the consumer, and a waiting test is notified of opening and end")
  func driven() {
    check(
      [
        Step(.watch("opened", 1, forEnd: false)), Step(.watch("ended", 2, forEnd: true)),
        Step(.open("sink", "a"), "sink[], wake opened"), Step(.yield(1), "sink[1]"),
        Step(.watch("open already", 3, forEnd: false), "wake open already"),
        Step(.finish, "sink[], replied, wake ended"), Step(.yield(2), "too late"), Step(.fail, "too late"),
        Step(.leave), Step(.watch("ended already", 4, forEnd: true), "wake ended already"),
      ], request: "a", ending: "replied")
  }

  @Test("Elements given before the stream is open are kept for it, and a second call gets none of them")
  func before() {
    check(
      [
        Step(.yield(1)), Step(.yield(2)), Step(.fail), Step(.yield(3), "too late"), Step(.finish, "too late"),
        Step(.watch("ended", 1, forEnd: true)), Step(.open("sink", "a"), "sink[1, 2], failed, wake ended"),
        Step(.open("other", "b"), "other[], abandoned"),
      ], request: "a", ending: "failed")
  }

  @Test("A consumer that goes away ends the stream")
  func left() {
    check(
      [
        Step(.open("sink", "a"), "sink[]"), Step(.watch("ended", 1, forEnd: true)), Step(.leave, "wake ended"),
        Step(.leave), Step(.yield(1), "too late"), Step(.finish, "too late"),
      ], request: "a", ending: "cancelled")
    check([Step(.leave), Step(.open("sink", "a"), "sink[]")], request: "a", ending: nil)
  }

  @Test("At the end a stream that is open fails, and every wait ends")
  func abandoned() {
    check([Step(.open("sink", "a"), "sink[]"), Step(.abandon, "sink[], abandoned")], request: "a", ending: "abandoned")
    check(
      [
        Step(.watch("opened", 1, forEnd: false)), Step(.yield(1)), Step(.abandon, "wake opened"),
        Step(.open("late", "a"), "late[], abandoned"),
      ], request: nil, ending: "abandoned")
    check(
      [Step(.open("sink", "a"), "sink[]"), Step(.finish, "sink[], replied"), Step(.abandon)], request: "a",
      ending: "replied")
  }

  @Test("A wait for a stream ends when its task is cancelled, and not again by the stream")
  func cancelled() {
    check(
      [
        Step(.watch("w", 1, forEnd: false)), Step(.cancelWatch(1), "cancel w"), Step(.cancelWatch(1)),
        Step(.watchCancelled("late", 2), "cancel late"), Step(.open("sink", "a"), "sink[]"),
      ], request: "a", ending: nil)
  }

  @Test("Each id is a new one")
  func idsAreNew() {
    var state = State()
    #expect((0..<3).map { _ in state.makeID() } == [1, 2, 3])
  }
}
