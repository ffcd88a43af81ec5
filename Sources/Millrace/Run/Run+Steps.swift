/// Steps: work of a handler whose result is stored, so that it is not done again when the action is handled again.
extension Run {
  /// Calls `body`, and stores its result with the mutations that `commit` makes of it; returns the stored result if there is one.
  ///
  /// ```swift
  /// let charge = try await run.step("charge", commit: { [.charged($0)] }) { step in
  ///   try await payments.charge(order, key: step.idempotencyKey)
  /// }
  /// ```
  ///
  /// **Durability.** With a journal, and a plan whose recovery is ``Recovery/handleAgain``, the result and the mutations are one record,
  /// and this returns when it is durable. A run that is handled again after a crash gets the stored result, and its body is not called.
  /// A crash between the body's return and the record calls the body again, with the same ``Step/idempotencyKey``. With another recovery
  /// only the mutations are stored; without a journal this is a plain call. Further attempts of the plan keep results in each case.
  ///
  /// **Names.** A step is found by its name within the run: the order of steps and their number may change, also between versions of the
  /// program, but a step with a new meaning needs a new name. A name is used once in an attempt. Children of one run share its names.
  ///
  /// **Order and isolation.** May be called from any task of the handler, also from several. The body runs in the calling task, and with a
  /// timeout in a child of it. The mutations commit as one, before any other commit sees one of them.
  ///
  /// **Cancellation.** Once the run has ended, its attempt was given up, or the calling task was cancelled, this throws before it calls
  /// `body`. A cancelled body may throw, which is not stored. A value that it returns is stored, unless the run has ended or its attempt was
  /// given up.
  ///
  /// **Limits.** A result has at most 1 MiB, which the options of the journal set, all of a run together 16 MiB; a run has at most
  /// 10,000 steps.
  ///
  /// - Parameters:
  ///   - name: the name, unique in the run: with the id of an item, `"ship \(item.id)"`, where there are several.
  ///   - retry: the calls of the body; one by default.
  ///   - commit: the mutations that are committed with the value; quick and free of effects.
  ///   - body: the work, called at least once before its result is stored, and never again after that.
  /// - Returns: the value of the body.
  /// - Throws: ``StepFailure`` for the error of the body's last call, or for a last call that took too long, each time the same; ``StepError``; and `CancellationError` if the
  ///   handling is over. A stored result of another type or another kind, an error of the coder and one of the journal end the run as
  ///   ``Outcome/failed(_:)``, so that the call throws `CancellationError`.
  @inlinable
  @discardableResult
  public func step<Value: Codable & Sendable>(
    _ name: String, retry: StepRetry = .none, commit: @Sendable (Value) -> [I.Mutation] = { _ in [] },
    _ body: @escaping @Sendable (Step) async throws -> Value
  ) async throws -> Value {
    if isCut || Task.isCancelled && !steps.isProbed { throw CancellationError() }
    let beginning: RunSteps.Beginning
    do { beginning = try steps.begin(name, .step, attempt: attempt, stepCoder) } catch {
      throw await refusal(by: error)
    }
    switch beginning {
    case .new: break
    case .known(let entry): return try await self.value(of: durable(entry), name)
    case .over: throw CancellationError()
    }
    let value: Value
    let sinks = stepSinks
    let mayRest = stepCoder != nil || sinks?.answersSteps == true
    if mayRest { await beginBody(of: name) }
    defer { if mayRest { endBody(of: name) } }
    do {
      // Again, because the run may have waited for its slot.
      if isCut || Task.isCancelled && !steps.isProbed { throw CancellationError() }
      // Here where it can be, because what the core compiles looks up the types of the value at run time.
      if let sinks {
        value = try await sinks.value(of: name) {
          try await StepCalls(name: name, retry: retry, run: self, body: body).value()
        }
      } else {
        value =
          retry.isOneCall
          ? try await body(Step(name: name, attempt: 1, run: self))
          : try await StepCalls(name: name, retry: retry, run: self, body: body).value()
      }
    } catch {
      throw try await failure(of: name, by: error)
    }
    let mutations = commit(value)
    if keepsNothing, mutations.isEmpty, !isCut {
      sinks?.hasValue(value, name)
      return value
    }
    try await storeValue(value, of: name, .step, mutations)
    return value
  }

  /// Calls `body`, and stores that it has returned, with the mutations of `commit`; does nothing if that is stored.
  ///
  /// Order, durability, cancellation and errors are those of the step with a value.
  ///
  /// - Parameters:
  ///   - name: the name, unique in the run.
  ///   - retry: the calls of the body; one by default.
  ///   - commit: the mutations that are committed with the end of the step.
  ///   - body: the work, called at least once before its end is stored, and never again after that.
  /// - Throws: ``StepFailure``, ``StepError`` and `CancellationError`, as the step with a value.
  @inlinable
  public func step(
    _ name: String, retry: StepRetry = .none, commit: @Sendable () -> [I.Mutation] = { [] },
    _ body: @escaping @Sendable (Step) async throws -> Void
  ) async throws {
    _ = try await step(name, retry: retry, commit: { (_: NoValue) in commit() }) { step in
      try await body(step)
      return NoValue()
    }
  }

  /// Commits a mutation, unless an earlier handling of the run has committed it; returns before it is durable.
  ///
  /// A plain ``emit(_:)`` of a run that is handled again is committed again. With a journal and the recovery ``Recovery/handleAgain`` the
  /// mutation and the name are one record; further attempts of the plan do not commit it again in any case.
  ///
  /// **Order and backpressure.** As those of ``emit(_:)``. Names are those of `step`.
  ///
  /// - Returns: false once the run has ended or its attempt was given up. A name that was used before in the attempt, or that is stored
  ///   for another kind of step, and one step too many end the run as ``Outcome/failed(_:)`` with a ``StepError``.
  @discardableResult
  public func emit(_ mutation: I.Mutation, once name: String) -> Bool {
    if isCut { return false }
    do throws(StepError) {
      switch try steps.begin(name, .once, attempt: attempt, stepCoder) {
      case .new: break
      case .known: return true
      case .over: return false
      }
    } catch {
      endRunLater(failing: error)
      return false
    }
    let stored = stepCoder.map { _ in StoredStep(name, .once, .committed) }
    return commitStep(StepCommit(name: name, kind: .once, stored: stored, result: .committed), [mutation], through: nil)
  }
}

/// The result of a step whose body returns nothing.
@usableFromInline
package struct NoValue: Codable, Sendable {
  @inlinable
  init() {}

  @usableFromInline
  package init(from decoder: any Decoder) throws {}

  /// Encodes an empty object, so that it is JSON by itself, too.
  @usableFromInline
  package func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: NoKey.self) }

  private enum NoKey: CodingKey {}
}

/// The parts that all kinds of steps have in common.
extension Run {
  /// Begins a step, and returns what is known of it; nil for a new one.
  ///
  /// - Throws: ``StepError``, and `CancellationError` if the handling is over, or ends with this.
  func beginStep(_ name: String, _ kind: StoredStep.Kind) async throws -> RunSteps.Entry? {
    if isCut || Task.isCancelled && !steps.isProbed { throw CancellationError() }
    let beginning: RunSteps.Beginning
    do { beginning = try steps.begin(name, kind, attempt: attempt, stepCoder) } catch { throw await refusal(by: error) }
    switch beginning {
    case .new: return nil
    case .known(let entry): return try await durable(entry)
    case .over: throw CancellationError()
    }
  }

  /// Returns the entry of a step once the journal has stored it: an earlier attempt may have been given up while it waited for that.
  @usableFromInline
  func durable(_ entry: RunSteps.Entry) async throws -> RunSteps.Entry {
    if entry.position > 0, await waitUntilDurable(position: entry.position) != nil { throw CancellationError() }
    return entry
  }

  /// The error that a step throws which cannot be begun.
  @usableFromInline
  func refusal(by error: StepError) async -> any Error {
    error.code.endsRun ? await endsRun(error) : error
  }

  /// Counts a body that is called, and returns when the run has its slot, which it gave back if another part of its handler rests.
  @usableFromInline
  func beginBody(of name: String) async {
    if steps.enter(name, .step, attempt: attempt).mayLackSlot { await takeSlotAgain() }
  }

  /// Counts a body that has returned; another part of the handler may rest.
  @usableFromInline
  func endBody(of name: String) {
    if steps.leave(name, .step, attempt: attempt).beginsToRest { restBegins() }
  }

  /// Whether a step without mutations leaves nothing to store and nothing to keep.
  @inlinable var keepsNothing: Bool { stepCoder == nil && !mayRepeat }

  /// The error that a step throws because its last call threw one; it is stored, unless the handling is over.
  @usableFromInline
  func failure(of name: String, by error: any Error) async throws -> any Error {
    if isCut || Task.isCancelled || error is CancellationError { throw CancellationError() }
    return try await storeFailure(error, of: name, .step)
  }

  /// The value that is known of a step.
  @usableFromInline
  func value<Value: Codable & Sendable>(of entry: RunSteps.Entry, _ name: String) async throws -> Value {
    let sinks = entry.isFirstAsk ? stepSinks : nil
    switch entry.result {
    case .failure(let error):
      sinks?.hasFailed(error, name)
      throw error
    case .value(let value):
      if let value = value as? Value { return value }
      let reason = "it is a \(String(reflecting: type(of: value)))"
      throw await endsRun(StepError.unreadable(name, as: Value.self, reason))
    case .encoded(let bytes):
      do {
        guard let coder = stepCoder else { break }
        let value = try coder.decode(Value.self, from: bytes)
        sinks?.hasValue(value, name)
        return value
      } catch {
        throw await endsRun(StepError.unreadable(name, as: Value.self, "\(error)"))
      }
    case .committed, nil: break
    }
    throw await endsRun(StepError.unreadable(name, as: Value.self, "no value is stored"))
  }

  /// Stores a value with its mutations, and returns when both are durable.
  @usableFromInline
  func storeValue<Value: Codable & Sendable>(
    _ value: Value, of name: String, _ kind: StoredStep.Kind, _ mutations: [I.Mutation]
  ) async throws {
    if isCut { throw late(name, kind) }
    var (stored, byteCount) = (nil as StoredStep?, 0)
    if let coder = stepCoder {
      let bytes: [UInt8]
      do { bytes = try coder.encode(value) } catch { throw await endsRun(error) }
      do throws(StepError) {
        try steps.reserve(bytes.count, for: name, coder.stepLimits)
      } catch {
        throw try await storeFailure(error, of: name, kind)
      }
      (stored, byteCount) = (StoredStep(name, kind, .value(bytes)), bytes.count)
    }
    stepSinks?.hasValue(value, name)
    try await storeStep(
      StepCommit(name: name, kind: kind, stored: stored, result: .value(value)), mutations, reserved: byteCount)
  }

  /// Stores the error of a step, and returns the one to throw.
  func storeFailure(_ error: any Error, of name: String, _ kind: StoredStep.Kind) async throws -> any Error {
    // An error of another step, which the body let pass, is one of the body.
    let isOwn = (error as? StepError)?.step == name || (error as? StepFailure)?.step == name
    let thrown: any Error = isOwn ? error : StepFailure(error, of: name)
    stepSinks?.hasFailed(thrown, name)
    var (stored, byteCount) = (nil as StoredStep?, 0)
    if let coder = stepCoder {
      let message = (thrown as? StepFailure)?.message ?? "\(error)"
      let payload = (error as? any Encodable).flatMap { encoded($0, of: name, coder) }
      let failure = StoredFailure(
        typeName: String(reflecting: type(of: error)), message: message, payload: payload,
        code: (thrown as? StepFailure)?.isTimeout == true
          ? StepFailure.timeoutCode : (thrown as? StepError)?.code.name)
      (stored, byteCount) = (StoredStep(name, kind, .failure(failure)), payload?.count ?? 0)
    }
    try await storeStep(
      StepCommit(name: name, kind: kind, stored: stored, result: .failure(thrown)), [], reserved: byteCount)
    return thrown
  }

  /// The bytes of an error; nil if it cannot be encoded, or is too large.
  private func encoded(_ error: some Encodable, of name: String, _ coder: any StepCoder) -> [UInt8]? {
    guard let bytes = try? coder.encode(error), (try? steps.reserve(bytes.count, for: name, coder.stepLimits)) != nil
    else { return nil }
    return bytes
  }

  /// Commits the result of a step, and returns when it is durable.
  ///
  /// - Parameter byteCount: The bytes of the result, which count no more if it is dropped.
  /// - Throws: `CancellationError` if the run or its attempt has ended before.
  func storeStep(_ step: StepCommit, _ mutations: [I.Mutation], reserved byteCount: Int = 0) async throws {
    if step.stored == nil, mutations.isEmpty {
      if isCut { throw late(step.name, step.kind) }
      if mayRepeat { steps.keep(step.name, step.kind, end: step.end, result: step.result) }
      return
    }
    await waitForRoom()
    let isCommitted = await withUnsafeContinuation { continuation in
      var step = step
      step.completion = { continuation.resume(returning: $0) }
      _ = commitStep(step, mutations, through: nil)
    }
    if isCommitted { return }
    steps.release(byteCount)
    throw CancellationError()
  }

  /// Counts a result that comes behind the end of its run or its attempt, and returns the error that the step throws.
  private func late(_ name: String, _ kind: StoredStep.Kind) -> CancellationError {
    _ = commitStep(StepCommit(name: name, kind: kind, stored: nil), [], through: nil)
    return CancellationError()
  }

  /// Ends the run as failed because of a step, and returns the error that the step throws.
  private func endsRun(_ error: any Error) async -> CancellationError {
    await endRun(failing: error)
    return CancellationError()
  }
}
