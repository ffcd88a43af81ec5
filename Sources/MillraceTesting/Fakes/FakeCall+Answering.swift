import Millrace

extension FakeCall {
  @usableFromInline typealias Answer = FakeAnswer<Request, Response>

  /// Adds a script.
  func add(_ script: FakeScript<Request, Answer>) {
    core.withLock { $0.state.scripts.add(script) }
  }

  /// Ends a call that has more to it than a reply.
  @usableFromInline
  func attend(to intake: FakeCore<Request, Answer>.Intake, _ request: Request) async throws -> Response {
    let number = intake.call.number
    // Whatever becomes of it, by then it has overtaken those that came before it.
    defer { intake.drawn?.end() }
    for waiter in intake.call.woken { waiter.resume(returning: ()) }
    guard let answer = intake.call.script?.answer else {
      guard let drawn = intake.drawn, drawn.fault == .reset else {
        let left = core.withLock { $0.state.scripts.leftCount }
        throw reports.unexpected(request, number: number, scriptsLeft: left)
      }
      return try await logging(number) {
        try await drawn.faults.delay(drawn)
        throw FakeFaults.Fault.reset
      }
    }
    if let drawn = intake.drawn {
      return try await logging(number) { try await self.answer(request, number, by: answer, drawn) }
    }
    if answer.ending != nil { return try await self.answer(request, number, by: answer) }
    return try await logging(number) { try await self.answer(request, number, by: answer) }
  }

  private func answer(_ request: Request, _ number: Int, by answer: Answer) async throws -> Response {
    switch answer {
    case .reply(let response): response
    case .failure(let error): throw error
    case .handler(let handler): try await handler(request)
    case .numbered(let handler): try await handler(request, number)
    case .held(let held): try await held.stand(request)
    }
  }

  /// Answers a call that meets something on its way.
  private func answer(
    _ request: Request, _ number: Int, by answer: Answer, _ drawn: FakeFaults.Drawn
  ) async throws -> Response {
    try await drawn.faults.delay(drawn)
    let result = await Self.result { try await self.answer(request, number, by: answer) }
    switch drawn.fault {
    case .timeout:
      try await drawn.faults.waitInVain()
      throw FakeFaults.Fault.timeout
    case .duplicate: await deliverAgain(request, to: answer, first: result)
    case .outOfOrder: try await drawn.faults.waitToBeOvertaken(drawn)
    case .slow, .reset, nil: break
    }
    return try result.get()
  }

  /// Delivers a request a second time: only a handler notices, anything else is as it was.
  private func deliverAgain(_ request: Request, to answer: Answer, first: Result<Response, any Error>) async {
    let intake = core.withLock { $0.state.arriveAgain(request, at: $0.now) }
    for waiter in intake.woken { waiter.resume(returning: ()) }
    _ = try? await logging(intake.number) {
      switch answer {
      case .handler, .numbered: try await self.answer(request, intake.number, by: answer)
      case .reply, .failure, .held: try first.get()
      }
    }
  }

  private static func result(_ body: () async throws -> Response) async -> Result<Response, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  /// Logs the end of a call.
  private func logging(_ number: Int, _ body: () async throws -> Response) async throws -> Response {
    do {
      let response = try await body()
      core.end(number, .replied)
      return response
    } catch {
      end(number, throwing: error)
      throw error
    }
  }

  /// Logs that a call ends with an error.
  @usableFromInline
  func end(_ number: Int, throwing error: any Error) {
    let ending = error is CancellationError ? FakeEnding.cancelled : .failed(error)
    core.end(number, ending)
  }
}

extension FakeCall: FakeMethod {
  /// Fails the test for unused scripts and open calls, and releases held calls.
  public func end() {
    var left = core.withLock { $0.state.finish() }
    // A released call has ended for the test, though its task may not have run since.
    left.calls.removeAll { call in
      if case .held(let held)? = call.answer, !call.isHeldUp { held.isOver } else { false }
    }
    reports.leftovers(left)
    for answer in left.scripts.map(\.script.answer) + left.calls.compactMap(\.answer) {
      if case .held(let held) = answer { held.abandon() }
    }
    for waiter in core.withLock({ $0.state.abandonWatchers() }) { waiter.resume(returning: nil) }
  }

  /// Waits until no call is open, or the task is cancelled.
  public func waitUntilQuiet() async {
    await core.waitUntilQuiet()
  }

  /// Waits until all failures that were reported before are recorded for the test, also in a cancelled task.
  public func settle() async {
    await reports.settle()
  }

  /// Takes the times of the log from this clock, counted from now.
  public func use(clock: any Clock<Duration>) {
    core.withLock { $0.time = FakeTime(clock) }
  }

  /// Keeps `size` calls in the log.
  public func keepLog(_ size: FakeLogSize) {
    core.withLock { $0.state.log.keep(size) }
  }

  /// Injects faults into calls from now on; nil ends this.
  public func inject(_ faults: FakeFaults?) {
    core.withLock { $0.faults = faults }
  }

  /// Fails the test for unused scripts when the fake is released without a call of `finish()`.
  func tellUnused() {
    let left = core.withLock { $0.state.finish() }
    reports.unfinished(left)
    for case .held(let held) in left.scripts.map(\.script.answer) { held.abandon() }
  }
}
