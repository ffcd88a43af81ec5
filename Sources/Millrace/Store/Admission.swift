extension Runner {
  /// Accepts one action: takes it up at once if the turn is free, otherwise leaves it for the owner.
  @inlinable
  @inline(__always)
  func send(_ action: I.Action) -> Receipt {
    guard tryEnter() else { return sendBehindOthers(action) }
    let receipt = takeUp(action)
    leave()
    return receipt
  }

  @inlinable
  @inline(never)
  func sendBehindOthers(_ action: I.Action) -> Receipt {
    if enterOrGiveUp() {
      let receipt = takeUp(action)
      leave()
      return receipt
    }
    let run = ticket(for: action)
    enqueue { self.takeUp(run) }
    return Receipt(run)
  }

  /// Accepts actions in order, many in one turn.
  @inlinable
  func send(contentsOf actions: some Sequence<I.Action>) -> BatchReceipt {
    var batch = BatchReceipt()
    let actions = Array(actions)
    var index = 0
    while index < actions.count {
      if tryEnter() || enterOrGiveUp() {
        sendSome(actions, from: &index, into: &batch)
        leave()
      } else {
        let run = ticket(for: actions[index])
        enqueue { self.takeUp(run) }
        batch.add(run)
        index += 1
      }
    }
    return batch
  }

  /// Takes up actions while nobody else has asked for the turn, for a bounded number of them.
  ///
  /// *Owner's.*
  @inlinable
  func sendSome(_ actions: [I.Action], from index: inout Int, into batch: inout BatchReceipt) {
    let end = Swift.min(index + 256, actions.count)
    var finished = 0
    repeat {
      let receipt = takeUp(actions[index])
      index += 1
      if let ticket = receipt.ticket {
        batch.add(finished: finished)
        finished = 0
        batch.add(ticket)
      } else {
        finished += 1
      }
    } while index < end && !isWanted && !hasErrands
    batch.add(finished: finished)
  }

  /// Decides an action and commits what is known of it, as one step.
  ///
  /// *Owner's.*
  @inlinable
  @inline(__always)
  func takeUp(_ action: I.Action) -> Receipt {
    let id = nextID()
    guard isOpen else { return rejected(action, id) }
    let decision = interactor.decide(action, state: state)
    switch decision.step {
    case .one(let mutation):
      let revision = commit(mutation)
      return Receipt(id: id, first: revision, last: revision)
    case .ignore:
      return Receipt(id: id, first: 0, last: 0)
    case .many(let mutations):
      let first = revision &+ 1
      for mutation in mutations { commit(mutation) }
      return mutations.isEmpty
        ? Receipt(id: id, first: 0, last: 0) : Receipt(id: id, first: first, last: revision)
    case .handle, .oneThenHandle, .manyThenHandle, .reject:
      return follow(decision, action, id)
    }
  }

  /// Does what was decided of an action that does not settle at once.
  ///
  /// Never inlined: with it, a settled action would pay for a reference to this that only a run needs.
  @inlinable
  @inline(never)
  func follow(_ decision: Decision<I.Mutation>, _ action: I.Action, _ id: ActionID) -> Receipt {
    let run = ActiveRun(id: id, action: action, runner: self)
    follow(decision, run)
    if !run.hasEnded, !hasLeftWork { run.snapshot = Snapshot(revision: revision, state: state) }
    return Receipt(run)
  }

  /// Decides an action that was left, unless it has ended meanwhile.
  ///
  /// *Owner's.*
  @inlinable
  func takeUp(_ run: ActiveRun<I>) {
    guard admits(run) else { return }
    follow(interactor.decide(run.action, state: state), run)
  }

  /// Does what was decided.
  ///
  /// *Owner's.*
  @inlinable
  func follow(_ decision: Decision<I.Mutation>, _ run: ActiveRun<I>) {
    run.isTakenUp = true
    switch decision.step {
    case .handle:
      start(run)
    case .one(let mutation):
      commit(mutation, of: run)
      end(run, .finished)
    case .many(let mutations):
      for mutation in mutations { commit(mutation, of: run) }
      end(run, .finished)
    case .oneThenHandle(let mutation):
      commit(mutation, of: run)
      start(run)
    case .manyThenHandle(let mutations):
      for mutation in mutations { commit(mutation, of: run) }
      start(run)
    case .ignore:
      end(run, .finished)
    case .reject(let error):
      end(run, .rejected(.decided(error)))
    }
  }

  @inlinable
  @inline(never)
  func rejected(_ action: I.Action, _ id: ActionID) -> Receipt {
    let run = ActiveRun(id: id, action: action, runner: self)
    end(run, .rejected(.shuttingDown))
    return Receipt(run)
  }
}
