import Millrace
import MillraceTesting
import Synchronization
import Testing

@Suite("ActionInterceptor", .timeLimit(.minutes(1)))
struct ActionInterceptorTests {
  /// Rejects each action until it is opened.
  private final class Door: Sendable {
    private let isOpen = Atomic(false)

    func open() { isOpen.store(true, ordering: .relaxed) }

    func intercept(
      _ action: Counting.Action, context: InterceptionContext<Counting.Action>
    ) -> Interception<Counting.Action> {
      isOpen.load(ordering: .relaxed) ? .pass : .reject("the door is shut")
    }
  }

  @Test("Closures in a chain pass, replace and reject in their order, and name no types")
  func closures() async {
    let store = Store(
      initial: Counting.State(), interactor: Counting(),
      interceptors: [
        ActionInterceptor { action, _ in
          guard case .add(let number) = action, number > 10 else { return .pass }
          return .reject("\(number) is too large")
        },
        ActionInterceptor { action, _ in
          guard case .add(let number) = action else { return .pass }
          return .replace(.add(number * 2))
        },
      ])
    #expect(await store.send(.add(5)).outcome.kind == .finished)
    let outcome = await store.send(.add(11)).outcome
    #expect("\(outcome)" == "rejected: An interceptor rejected the action: 11 is too large")
    #expect(outcome.rejectionKind == .intercepted)
    #expect(await store.state.sum == 10)
  }

  @Test("The method of a class is one, and may send by its context")
  func method() async {
    let store = Store(initial: Counting.State(), interactor: Counting())
    let door = Door()
    store.setInterceptors([
      ActionInterceptor(door.intercept),
      ActionInterceptor { action, context in
        if case .add(3) = action { context.send(.add(4)) }
        return .pass
      },
    ])
    #expect(await store.send(.add(1)).outcome.rejectionKind == .intercepted)
    door.open()
    #expect(await store.send(.add(3)).outcome.kind == .finished)
    #expect(await store.state.sum == 7)
  }
}
