/// A run whose mutations do not go straight into a store: into a state of its own, or through the run of a parent.
@usableFromInline
final class ForwardedRun<I: Interactor>: Sendable {
  /// See ``Run/emit(_:through:)``.
  @usableFromInline let emit: @Sendable (I.Mutation, RemovableChild?) -> Bool
  @usableFromInline let state: @Sendable () async throws -> I.State

  /// See ``Run/endWhen(_:notHolding:)``.
  @usableFromInline let endWhen: EndWhen
  @usableFromInline let send: @Sendable (I.Action) -> Receipt
  @usableFromInline let submit: @Sendable (I.Action) async throws -> Receipt

  /// See ``Run/commitStep(_:_:through:)``.
  @usableFromInline let commitStep: CommitStep

  /// See ``Run/waitForState(_:)``.
  @usableFromInline let waitFor: WaitFor
  @usableFromInline let environment: any RunEnvironment

  @usableFromInline
  typealias EndWhen = @Sendable (ChildPath, @escaping @Sendable () -> LifetimeCondition) async -> ExistingChild?

  @usableFromInline
  typealias CommitStep = @Sendable (StepCommit, [I.Mutation], RemovableChild?) -> Bool

  @usableFromInline
  typealias WaitFor = @Sendable (@escaping @Sendable (I.State) -> Bool) async throws -> Void

  @inlinable
  init(
    _ environment: any RunEnvironment, emit: @escaping @Sendable (I.Mutation, RemovableChild?) -> Bool,
    state: @escaping @Sendable () async throws -> I.State,
    endWhen: @escaping EndWhen,
    send: @escaping @Sendable (I.Action) -> Receipt,
    submit: @escaping @Sendable (I.Action) async throws -> Receipt,
    commitStep: @escaping CommitStep,
    waitFor: @escaping WaitFor
  ) {
    self.emit = emit
    self.state = state
    self.endWhen = endWhen
    self.send = send
    self.submit = submit
    self.commitStep = commitStep
    self.waitFor = waitFor
    self.environment = environment
  }
}

/// The facts that a run has besides the state; they are the same for the run of a parent and that of its child.
@usableFromInline
protocol RunEnvironment: Sendable {
  var id: ActionID { get }
  var attempt: Int { get }
  var key: RunKey { get }
  var clock: any Clock<Duration> { get }
  var timeRemaining: Duration? { get }
  var context: RunContext? { get }

  /// Rejects an action that the run cannot send.
  func refuse(_ reason: String) -> Receipt

  // MARK: Steps

  /// Whether the run or its attempt has ended, so that nothing of it is committed.
  var isCut: Bool { get }

  /// Whether another attempt may follow, which asks for the results of this one.
  var mayRepeat: Bool { get }
  var steps: RunSteps { get }

  /// Encodes the results of steps; nil if they are not stored.
  var stepCoder: (any StepCoder)? { get }

  /// In milliseconds since 1970.
  func wallTime() -> Int64

  /// Returns when the entry of the journal at a position is durable, or the reason why it is not known to be.
  func waitUntilDurable(position: Int) async -> (any Error)?

  /// Suspends while too many bytes wait to be stored.
  func waitForRoom() async

  /// The sinks of the store for the steps of the run; nil if none wants to know of them.
  var stepSinks: StepSinks? { get }

  /// Called when the run begins to rest.
  func restBegins()

  /// Returns when the run has its slot again, or needs none.
  func takeSlotAgain() async

  /// Ends the run as failed, and returns when it has its outcome.
  func endRun(failing error: any Error) async

  /// Ends the run as failed behind what it has emitted.
  func endRunLater(failing error: any Error)
}

/// The terms of a run outside a store.
struct LoneTerms: Sendable {
  let clock: any Clock<Duration>

  /// The key and the steps of the run, if it has any before; otherwise each run has its own.
  var key: RunKey?
  var steps: RunSteps?
  var stepCoder: (any StepCoder)?
  var wallTime: @Sendable () -> Int64 = WallTime.now
}

/// The facts of a run outside a store.
struct LoneEnvironment: RunEnvironment {
  private let terms: LoneTerms
  let key: RunKey
  let steps: RunSteps

  /// Whether nothing takes mutations any more.
  let isOver: @Sendable () -> Bool

  /// Ends the effect with an error.
  let fail: @Sendable (any Error) -> Void

  init(_ terms: LoneTerms, isOver: @escaping @Sendable () -> Bool, fail: @escaping @Sendable (any Error) -> Void) {
    self.terms = terms
    key = terms.key ?? RunKey("apart-\(UInt64.random(in: 0...UInt64.max))", isSenders: false)
    steps = terms.steps ?? RunSteps()
    self.isOver = isOver
    self.fail = fail
  }

  var id: ActionID { .takenAtOnce(1) }
  var attempt: Int { 1 }
  var clock: any Clock<Duration> { terms.clock }
  var context: RunContext? { nil }
  var timeRemaining: Duration? { nil }

  func refuse(_ reason: String) -> Receipt {
    Receipt(notSent: reason)
  }

  var isCut: Bool { isOver() }
  var mayRepeat: Bool { false }
  var stepCoder: (any StepCoder)? { terms.stepCoder }

  func wallTime() -> Int64 { terms.wallTime() }
  func waitForRoom() async {}
  var stepSinks: StepSinks? { nil }
  func restBegins() {}
  func takeSlotAgain() async {}
  func waitUntilDurable(position: Int) async -> (any Error)? { nil }
  func endRun(failing error: any Error) async { fail(error) }
  func endRunLater(failing error: any Error) { fail(error) }
}

extension Run {
  /// The run of a part over the same state, whose mutations go through this one as they are, or as `transform` makes them.
  @inlinable
  func run<Part: Interactor>(mutation transform: (@Sendable (I.Mutation) -> I.Mutation)? = nil) -> Run<Part>
  where Part.State == I.State, Part.Mutation == I.Mutation, Part.Action == I.Action {
    Run<Part>(
      ForwardedRun(
        self,
        emit: { mutation, child in
          if let transform { emit(transform(mutation), through: nil) } else { emit(mutation, through: child) }
        },
        state: { try await state },
        endWhen: { await endWhen($0, notHolding: $1) },
        send: { send($0) },
        submit: { try await submit($0) },
        commitStep: { step, mutations, child in
          guard let transform else { return commitStep(step, mutations, through: child) }
          return commitStep(step, mutations.map(transform), through: nil)
        },
        waitFor: { try await waitForState($0) }))
  }

  /// The run of a child whose mutations go through this one.
  @inlinable
  func run<Child: Interactor>(
    at position: PartPosition, state: @escaping @Sendable (I.State) -> Child.State,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) -> Run<Child> {
    let keepsChild = position.keepsChild
    return Run<Child>(
      ForwardedRun(
        self,
        emit: { emit(mutation($0), through: keepsChild ? $1 : nil) },
        state: { state(try await self.state) },
        endWhen: { path, condition in await endWhen(path.within(position)) { condition().within(position, state) } },
        send: { send($0, as: action) },
        submit: { try await submit($0, as: action) },
        commitStep: { commitStep($0, $1.map(mutation), through: keepsChild ? $2 : nil) },
        waitFor: { condition in try await waitForState({ condition(state($0)) }) }))
  }

  /// The run of a child that may be removed, which ends this run too; nil when the child does not exist.
  @inlinable
  func run<Child: Interactor>(
    as id: ChildID, _ condition: @escaping @Sendable () -> LifetimeCondition,
    part: @escaping @Sendable (I.State) -> Child.State?,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) async -> Run<Child>? {
    guard let found = await endWhen(ChildPath(id), notHolding: condition) else { return nil }
    let child = RunOfChild<I, Child>(
      self, found.child, id, part: part, mutation: mutation, action: action)
    return Run<Child>(
      ForwardedRun(
        self,
        emit: { child.whole.emit(child.mutation($0), through: $1 ?? child.child) },
        state: {
          // The state is read first: one with another child in the same place is newer than the removal.
          guard let now = child.part(try await child.whole.state), child.child?.isRemoved != true else {
            throw CancellationError()
          }
          return now
        },
        endWhen: { path, condition in
          await child.whole.endWhen(path.within(child.id)) { condition().within(child.id, child.part) }
        },
        send: { child.whole.send($0, as: child.action) },
        submit: { try await child.whole.submit($0, as: child.action) },
        commitStep: { child.whole.commitStep($0, $1.map(child.mutation), through: $2 ?? child.child) },
        waitFor: { condition in
          try await child.whole.waitForState({
            child.child?.isRemoved != true && child.part($0).map(condition) ?? false
          })
        }))
  }
}

/// The values that the functions of a child's run have in common.
///
/// A closure that captures one object alone is that object, and takes no memory of its own.
@usableFromInline
final class RunOfChild<I: Interactor, Child: Interactor>: Sendable {
  /// The run of the parent.
  @usableFromInline let whole: Run<I>
  @usableFromInline let child: RemovableChild?
  @usableFromInline let id: ChildID
  @usableFromInline let part: @Sendable (I.State) -> Child.State?
  @usableFromInline let mutation: @Sendable (Child.Mutation) -> I.Mutation
  @usableFromInline let action: @Sendable (Child.Action) throws -> I.Action

  @inlinable
  init(
    _ whole: Run<I>, _ child: RemovableChild?, _ id: ChildID, part: @escaping @Sendable (I.State) -> Child.State?,
    mutation: @escaping @Sendable (Child.Mutation) -> I.Mutation,
    action: @escaping @Sendable (Child.Action) throws -> I.Action
  ) {
    self.whole = whole
    self.child = child
    self.id = id
    self.part = part
    self.mutation = mutation
    self.action = action
  }
}
