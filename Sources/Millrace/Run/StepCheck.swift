/// A handler that is called with the stored results of its steps, to learn which step it asks for next.
package final class StepCheck: Sendable {
  private let coder: any StepCoder
  private let steps = LazyObject<RunSteps>()

  package init(_ coder: any StepCoder) {
    self.coder = coder
  }

  /// The names of the steps without a result that the handler has asked for.
  package var asked: [String] { steps.load()?.asked ?? [] }

  /// The names of the stored steps that it has not asked for, sorted.
  package var unused: [String] { steps.load()?.unused ?? [] }

  /// Calls the handler of a restored action outside a store.
  ///
  /// - Returns: whether it has returned or thrown; nil if it has done neither in time. A handler that returns another sequence than an effect
  ///   has no steps, and is not asked for its elements.
  package func call<I: Interactor>(
    _ interactor: I, _ restored: RestoredAction<I.Action>, state: I.State, clock: any Clock<Duration>,
    patience: Duration
  ) async -> Result<Void, any Error>? {
    let steps = steps.storeIfNil(RunSteps(restored.steps, coder, isProbed: true))
    let terms = LoneTerms(
      clock: clock, key: restored.key, steps: steps, stepCoder: coder, wallTime: { .max })
    let handler = Task {
      guard let effect = await interactor.handle(restored.action, state: state) as? Effect<I> else { return }
      for try await _ in EffectMutations(effect: effect, state: state, terms: terms) {}
    }
    let promise = Promise<Result<Void, any Error>?>()
    let watch = Task {
      let result = await handler.result
      promise.fulfil(result)
    }
    let timer = Task {
      try? await ContinuousClock().sleep(for: patience.bounded)
      promise.fulfil(nil)
    }
    defer {
      handler.cancel()
      watch.cancel()
      timer.cancel()
    }
    return await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(nil)
    }
  }
}
