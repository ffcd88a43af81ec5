import Testing

@testable import Millrace

/// Every stage and every event, as tables of event → stage and consequences.
@Suite("RunPhase")
struct RunPhaseTests {
  typealias Event = RunPhase.Event
  typealias Stage = RunPhase.Stage
  typealias Consequences = RunPhase.Consequences

  /// The events that have brought an action to its phase.
  enum Past: CaseIterable {
    case accepted, takenUp, running, betweenAttempts
    /// An attempt was given up, and its handler is still out.
    case betweenAttemptsWithOneOut
    /// An attempt was given up, its handler is still out, and so is the next one.
    case runningWithTwoOut
    case endedBeforeTakeUp, endedBeforeRunning, endedByReturning, endedWithOneOut, endedWithTwoOut

    var events: [Event] {
      switch self {
      case .accepted: []
      case .takenUp: [.takeUp]
      case .running: [.takeUp, .launch]
      case .betweenAttempts: [.takeUp, .launch, .handlerReturned, .awaitNextAttempt]
      case .betweenAttemptsWithOneOut: [.takeUp, .launch, .awaitNextAttempt]
      case .runningWithTwoOut: [.takeUp, .launch, .awaitNextAttempt, .launch]
      case .endedBeforeTakeUp: [.end]
      case .endedBeforeRunning: [.takeUp, .end]
      case .endedByReturning: [.takeUp, .launch, .handlerReturned, .end]
      case .endedWithOneOut: [.takeUp, .launch, .end]
      case .endedWithTwoOut: [.takeUp, .launch, .awaitNextAttempt, .launch, .end]
      }
    }

    var phase: RunPhase {
      var phase = RunPhase()
      for event in events { _ = phase.advance(event) }
      return phase
    }
  }

  /// An event that comes to an action with a past, the stage and the handlers it leads to, and what is to be done.
  struct Row: CustomTestStringConvertible {
    let past: Past
    let event: Event
    let stage: Stage
    let out: Int32
    let consequences: Consequences

    init(_ past: Past, _ event: Event, _ stage: Stage, out: Int32 = 0, _ consequences: Consequences = []) {
      self.past = past
      self.event = event
      self.stage = stage
      self.out = out
      self.consequences = consequences
    }

    var testDescription: String { "\(past), \(event)" }
  }

  static let rows = [
    Row(.accepted, .takeUp, .takenUp),
    Row(.accepted, .awaitNextAttempt, .accepted),
    Row(.accepted, .end, .ended),

    Row(.takenUp, .takeUp, .takenUp),
    Row(.takenUp, .launch, .running, out: 1),
    Row(.takenUp, .awaitNextAttempt, .takenUp),
    Row(.takenUp, .end, .ended, .askClosing),

    Row(.running, .takeUp, .running, out: 1),
    Row(.running, .launch, .running, out: 2),
    Row(.running, .awaitNextAttempt, .betweenAttempts, out: 1),
    Row(.running, .handlerReturned, .running),
    Row(.running, .end, .ended, out: 1, .askClosing),

    Row(.betweenAttempts, .takeUp, .betweenAttempts),
    Row(.betweenAttempts, .launch, .running, out: 1),
    Row(.betweenAttempts, .awaitNextAttempt, .betweenAttempts),
    Row(.betweenAttempts, .end, .ended, [.askClosing, .freeSlot]),

    Row(.betweenAttemptsWithOneOut, .takeUp, .betweenAttempts, out: 1),
    Row(.betweenAttemptsWithOneOut, .launch, .running, out: 2),
    Row(.betweenAttemptsWithOneOut, .awaitNextAttempt, .betweenAttempts, out: 1),
    Row(.betweenAttemptsWithOneOut, .handlerReturned, .betweenAttempts),
    Row(.betweenAttemptsWithOneOut, .end, .ended, out: 1, .askClosing),

    Row(.runningWithTwoOut, .takeUp, .running, out: 2),
    Row(.runningWithTwoOut, .launch, .running, out: 3),
    Row(.runningWithTwoOut, .awaitNextAttempt, .betweenAttempts, out: 2),
    Row(.runningWithTwoOut, .handlerReturned, .running, out: 1),
    Row(.runningWithTwoOut, .end, .ended, out: 2, .askClosing),

    Row(.endedBeforeTakeUp, .takeUp, .ended),
    Row(.endedBeforeTakeUp, .launch, .ended),
    Row(.endedBeforeTakeUp, .awaitNextAttempt, .ended),
    Row(.endedBeforeTakeUp, .end, .ended),

    Row(.endedBeforeRunning, .takeUp, .ended),
    Row(.endedBeforeRunning, .launch, .ended),
    Row(.endedBeforeRunning, .awaitNextAttempt, .ended),
    Row(.endedBeforeRunning, .end, .ended),

    Row(.endedByReturning, .takeUp, .ended),
    Row(.endedByReturning, .launch, .ended),
    Row(.endedByReturning, .awaitNextAttempt, .ended),
    Row(.endedByReturning, .end, .ended),

    Row(.endedWithOneOut, .takeUp, .ended, out: 1),
    Row(.endedWithOneOut, .launch, .ended, out: 1),
    Row(.endedWithOneOut, .awaitNextAttempt, .ended, out: 1),
    Row(.endedWithOneOut, .handlerReturned, .ended, .freeSlot),
    Row(.endedWithOneOut, .end, .ended, out: 1),

    Row(.endedWithTwoOut, .handlerReturned, .ended, out: 1),
    Row(.endedWithTwoOut, .end, .ended, out: 2),
  ]

  @Test("An event leads to a stage, and says what is to be done", arguments: rows)
  func anEventLeadsToAStage(row: Row) {
    var phase = row.past.phase
    let began = phase.hasBegun
    let consequences = phase.advance(row.event)
    #expect(phase.stage == row.stage)
    #expect(phase.handlersOut == row.out)
    #expect(consequences == row.consequences)
    #expect(phase.hasBegun == (began || row.event == .launch && row.stage == .running))
  }

  @Test("An action is in flight from its first handler on until it has ended", arguments: Past.allCases)
  func anActionIsInFlight(past: Past) {
    let inFlight: Set<Past> = [.running, .betweenAttempts, .betweenAttemptsWithOneOut, .runningWithTwoOut]
    #expect(past.phase.isInFlight == inFlight.contains(past))
  }

  @Test("R4: the slot is freed once, by the last of three handlers to return after the end")
  func theSlotIsFreedOnce() {
    var phase = RunPhase()
    for event: Event in [.takeUp, .launch, .awaitNextAttempt, .launch, .awaitNextAttempt, .launch] {
      #expect(phase.advance(event) == [])
    }
    #expect(phase.advance(.end) == .askClosing)
    #expect(phase.advance(.handlerReturned) == [])
    #expect(phase.advance(.handlerReturned) == [])
    #expect(phase.advance(.handlerReturned) == .freeSlot)
    #expect(phase.advance(.end) == [])
  }

  @Test("Every walk of 8 events asks for closing once at most, and frees what it took once at most")
  func everyWalk() {
    var walks = [(phase: RunPhase(), got: [Consequences]())]
    for _ in 0..<8 {
      walks = walks.flatMap { walk in
        Event.allCases.filter { isPossible($0, walk.phase) }.map { event in
          var (phase, got) = walk
          got.append(phase.advance(event))
          return (phase, got)
        }
      }
    }
    #expect(!walks.isEmpty)
    for (phase, got) in walks {
      let closings = got.count { $0.contains(.askClosing) }
      let slots = got.count { $0.contains(.freeSlot) }
      let isOver = phase.stage == .ended && phase.handlersOut == 0
      guard closings <= 1, slots == (isOver && phase.hasBegun ? 1 : 0) else {
        Issue.record("\(phase): \(closings) closings and \(slots) slots freed")
        return
      }
    }
  }

  /// Whether an owner may raise the event in this phase.
  private func isPossible(_ event: Event, _ phase: RunPhase) -> Bool {
    switch event {
    case .takeUp: phase.stage == .accepted
    case .launch: phase.stage == .takenUp || phase.stage == .betweenAttempts
    case .awaitNextAttempt: phase.stage == .running
    case .handlerReturned: phase.handlersOut > 0
    case .end: true
    }
  }
}
