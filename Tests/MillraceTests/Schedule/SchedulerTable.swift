import Testing

@testable import Millrace

/// A scheduler whose actions have names, and the check of its answers.
extension SchedulerTests {
  /// An event of actions with names; each action is added with its plan when it arrives.
  enum Event {
    case arrive(String, Plan)
    /// The arrival of an action that is handled again.
    case arriveAgain(String, Plan, age: Instant = 0)
    /// The decision that `decide` was answered with; one for `handle` may be refused.
    case handles(String), finishes(String), rejects(String)
    case returns(
      String, attempt: Int? = nil, fails: Bool = false, hasCommitted: Bool = false, RetryAdvice = .byPlan,
      counts: Bool = true)
    case gaveUp(String, hasCommitted: Bool = false)
    case drawn(String, Int64)
    /// The handler of a run begins to rest, or wants to continue.
    case rests(String), wakes(String)
    case end(String), endKey(String), endAll
    case limit(Int?, String)
    case time(Int64)
    /// The next step that is due.
    case step
    case drain(Int64)
  }

  /// Events that follow each other, each with the answer.
  struct Table: ~Copyable {
    var scheduler: Scheduler
    var handles: [String: Scheduler.Handle] = [:]
    var now: Instant = 0

    init(
      slots: Int = 2, waiting: Int = 2, resting: Int = 65_536, onOverflow: StoreConfiguration.Overflow = .reject,
      membersAStep: Int = 64
    ) {
      scheduler = Scheduler(
        StoreConfiguration.Limits(
          runsInFlight: slots, actionsWaiting: waiting, runsResting: resting, onOverflow: onOverflow),
        membersAStep: membersAStep)
    }

    /// Raises an event, and returns the actions as words.
    mutating func raise(_ event: Event) -> [String] {
      var due: Scheduler.DueStep?
      switch event {
      case .arrive(let name, let plan):
        guard let terms = plan.terms else { return ["no plan"] }
        let handle = scheduler.add(terms)
        handles[name] = handle
        scheduler.handle(.arrived(handle), at: now)
      case .arriveAgain(let name, let plan, let age):
        let handle = scheduler.add(plan.terms ?? PlanTerms(nil, nil))
        handles[name] = handle
        scheduler.handle(.arrived(handle, isRestored: true, age: age), at: now)
      case .handles(let name):
        let refusal = scheduler.refusal(of: handles[name]!)
        scheduler.handle(.decided(handles[name]!, refusal.map { .refused($0) } ?? .handles), at: now)
      case .finishes(let name): scheduler.handle(.decided(handles[name]!, .ends(.finished)), at: now)
      case .rejects(let name):
        scheduler.handle(.decided(handles[name]!, .ends(.rejected(.decided(Mishap())))), at: now)
      case .returns(let name, let attempt, let fails, let hasCommitted, let advice, let counts):
        let outcome: Outcome = fails ? .failed(Mishap()) : .finished
        scheduler.handle(
          .returned(
            handles[name]!, attempt: attempt, outcome, hasCommitted: hasCommitted, advice, countsForBreaker: counts),
          at: now)
      case .gaveUp(let name, let hasCommitted):
        scheduler.handle(.gaveUp(handles[name]!, hasCommitted: hasCommitted), at: now)
      case .drawn(let name, let time): scheduler.handle(.drawn(handles[name]!, .nanoseconds(time)), at: now)
      case .rests(let name): scheduler.handle(.resting(handles[name]!, true), at: now)
      case .wakes(let name): scheduler.handle(.resting(handles[name]!, false), at: now)
      case .end(let name): scheduler.handle(.end(handles[name]!, .cancelled), at: now)
      case .endKey(let key): scheduler.handle(.endKey(PlanKey(key), .cancelled), at: now)
      case .endAll: scheduler.handle(.endAll(.shutDown, asksClosing: true), at: now)
      case .limit(let limit, let key): scheduler.handle(.limit(limit, PlanKey(key)), at: now)
      case .time(let instant):
        now = instant
        due = scheduler.handleNextTimer(at: now)
        if due == nil { return ["nothing is due"] }
      case .step:
        due = scheduler.handleNextStep(at: now)
        if due == nil { return ["nothing is due"] }
      case .drain(let instant): scheduler.handle(.drain(until: instant, caller: nil), at: now)
      }
      if let due, !isActions(due) { return ["\(due)"] }
      return takeActions()
    }

    private func isActions(_ due: Scheduler.DueStep) -> Bool {
      if case .actions = due { true } else { false }
    }

    private mutating func takeActions() -> [String] {
      defer { scheduler.actions = [] }
      return scheduler.actions.map { words(for: $0) }
    }

    private mutating func words(for action: Scheduler.Action) -> String {
      switch action {
      case .decide(let handle): return "decide \(name(handle))"
      case .share(let handle, let run):
        handles["run of \(name(handle))"] = run
        return "share \(name(handle))"
      case .join(let handle, let run): return "join \(name(handle)) to \(name(run))"
      case .start(let handle, let attempt): return "start \(name(handle))\(attempt.map { " \($0)" } ?? "")"
      case .resume(let handle): return "resume \(name(handle))"
      case .giveUp(let handle): return "give up \(name(handle))"
      case .draw(let handle, _, let made, let delay):
        return "draw \(name(handle)) after \(made)\(delay.map { ", \($0) at least" } ?? "")"
      case .settle(let handle, let outcome, let asksClosing):
        return "settle \(name(handle)) \(outcome.kind)\(asksClosing ? ", closing" : "")"
      case .forget(let handle):
        let name = name(handle)
        handles[name] = nil
        scheduler.forget(handle)
        return "forget \(name)"
      }
    }

    private func name(_ handle: Scheduler.Handle) -> String {
      handles.first { $0.value == handle }?.key ?? "?"
    }
  }

  func check(
    _ table: consuming Table, _ rows: [(Event, [String])], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (index, row) in rows.enumerated() {
      #expect(table.raise(row.0) == row.1, "row \(index): \(row.0)", sourceLocation: sourceLocation)
    }
  }
}
