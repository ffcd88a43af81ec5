import Millrace
import MillraceTesting

/// Tasks that wait for each other.
extension KnownBug {
  static let coordination = [
    KnownBug(
      name: "Lost wakeup", need: .idleActor,
      harm: "A consumer sees an empty mailbox, and registers after the only notification"
    ) { world, isBroken in
      let mailbox = Mailbox(isBroken: isBroken)
      await withTaskGroup { group in
        group.addTask { await mailbox.put(1) }
        group.addTask {
          while await mailbox.take() == nil {
            let notification = Gate()
            await mailbox.register(notification)
            do { try await notification.enter() } catch { return }
          }
        }
      }
    },

    KnownBug(
      name: "Opened twice", need: .idleActor,
      harm: "Two parts of a service count down, and then both read that none is left"
    ) { world, isBroken in
      let startup = Startup(parts: 2, isBroken: isBroken)
      await withTaskGroup { group in
        for _ in 0..<2 { group.addTask { await startup.partIsReady() } }
      }
      world.expect(await startup.openings == 1, "the service opens once")
    },

    KnownBug(
      name: "Ring of locks", need: .idleActor,
      harm: "Each of four transfers has one account and waits for the next one"
    ) { world, isBroken in
      let locks = KeyLocks()
      await withTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            let keys = [number, (number + 1) % 4]
            for key in isBroken ? keys : keys.sorted() {
              do { try await locks.lock(key) } catch { return }
            }
            for key in keys { await locks.unlock(key) }
          }
        }
      }
    },

    KnownBug(
      name: "Wrong task woken", need: .order,
      harm: "A consumer wakes a consumer, and the producer that could continue sleeps"
    ) { world, isBroken in
      let buffer = Buffer(isBroken: isBroken)
      await withTaskGroup { group in
        for number in 0..<2 {
          group.addTask { for item in 0..<2 { try? await buffer.put(2 * number + item) } }
          group.addTask { for _ in 0..<2 { _ = try? await buffer.take() } }
        }
      }
    },

    KnownBug(
      name: "Permit lost by a cancellation", need: .order,
      harm: "A cancelled waiter gets the permit, throws, and does not return it"
    ) { world, isBroken in
      let permit = Permit()
      let work = world.duration(in: .zero ... .seconds(3))
      let users = (0..<2).map { _ in
        Task {
          await permit.acquire()
          if isBroken { try Task.checkCancellation() }
          try? await world.clock.sleep(for: work)
          await permit.release()
        }
      }
      try await world.clock.sleep(for: world.duration(in: .zero ... .seconds(3)))
      users[1].cancel()
      for user in users { _ = await user.result }
      world.expect(await permit.isFree, "the permit is free when all users have ended")
    },

    KnownBug(
      name: "Stores that wait for each other", need: .time,
      harm: "Two stores serve one action at a time, and each asks the other one"
    ) { world, isBroken in
      let checks = FakeCall<Int, Void>("check")
      checks.always { _ in }
      checks.inject(world.faults(latency: .uniform(.zero ... .seconds(1))))
      let stores = Box<[Store<Desk>]>([])
      for number in 0..<2 {
        let desk = Desk(checks: checks, isBroken: isBroken) { stores.value[1 - number] }
        stores.value.append(Store(initial: 0, interactor: desk, configuration: world.configuration))
      }
      var receipts: [Receipt] = []
      for number in world.actions(4, from: [0, 1]) {
        receipts.append(stores.value[number].send(.audit))
        try await world.clock.sleep(for: .milliseconds(500))
      }
      for receipt in receipts { _ = await receipt.outcome }
      stores.value = []
    },
  ]
}

/// Messages, and the consumers to notify of the next one.
private actor Mailbox {
  private let isBroken: Bool
  private var messages: [Int] = []
  private var notifications: [Gate] = []

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  func put(_ message: Int) {
    messages.append(message)
    for notification in notifications { notification.open() }
    notifications = []
  }

  func take() -> Int? {
    messages.popLast()
  }

  /// Opens the gate with the next message, or at once if there is a message.
  func register(_ notification: Gate) {
    if !isBroken, !messages.isEmpty { return notification.open() }
    notifications.append(notification)
  }
}

/// A buffer for one item, with one queue of waiting producers and consumers.
private actor Buffer {
  private let isBroken: Bool
  private var item: Int?
  private var waiters: [Gate] = []

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  func put(_ item: Int) async throws {
    while self.item != nil { try await wait() }
    self.item = item
    wake()
  }

  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  func take() async throws -> Int {
    while true {
      if let item {
        self.item = nil
        wake()
        return item
      }
      try await wait()
    }
  }

  private func wait() async throws {
    let gate = Gate()
    waiters.append(gate)
    try await gate.enter()
  }

  /// Wakes all waiters, for the one that waits longest may be unable to continue.
  private func wake() {
    let woken = isBroken ? waiters.prefix(1) : waiters[...]
    waiters.removeFirst(woken.count)
    for gate in woken { gate.open() }
  }
}

/// Opens a service when its last part is ready.
private actor Startup {
  private let log = StartupLog()
  private let isBroken: Bool
  private var missing: Int
  private(set) var openings = 0

  init(parts: Int, isBroken: Bool) {
    (missing, self.isBroken) = (parts, isBroken)
  }

  func partIsReady() async {
    missing -= 1
    let isLast = missing == 0
    await log.note(missing)
    if isBroken ? missing == 0 : isLast { openings += 1 }
  }
}

/// Notes the number of missing parts.
private actor StartupLog {
  private var counts: [Int] = []

  func note(_ missing: Int) {
    counts.append(missing)
  }
}

/// Locks by their keys; the caller that waits longest gets a lock next.
private actor KeyLocks {
  private var waiters: [Int: [Gate]] = [:]

  /// - Throws: `CancellationError` if the task is cancelled while it waits.
  func lock(_ key: Int) async throws {
    guard waiters[key] != nil else { return waiters[key] = [] }
    let turn = Gate()
    waiters[key]?.append(turn)
    try await turn.enter()
  }

  func unlock(_ key: Int) {
    guard let waiting = waiters[key], let next = waiting.first else { return waiters[key] = nil }
    waiters[key]?.removeFirst()
    next.open()
  }
}

/// One permit; a caller waits for it even if its task is cancelled.
private actor Permit {
  private(set) var isFree = true
  private var waiters: [Gate] = []

  func acquire() async {
    if isFree { return isFree = false }
    let turn = Gate()
    waiters.append(turn)
    await turn.enterIgnoringCancellation()
  }

  func release() {
    if waiters.isEmpty { isFree = true } else { waiters.removeFirst().open() }
  }
}

/// Answers the other desk's question, and asks the other desk after a check of its own.
private struct Desk: Interactor {
  enum Action: Sendable { case audit, count }

  let checks: FakeCall<Int, Void>
  let isBroken: Bool
  let other: @Sendable () -> Store<Desk>

  func plan(for action: Action, state: Int) -> Plan {
    switch action {
    case .audit: .serial(key: "desk")
    case .count: isBroken ? .serial(key: "desk") : .concurrent
    }
  }

  func decide(_ action: Action, state: Int) -> Decision<Int> {
    action == .count ? .mutate(1) : .handle
  }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { run in
      try await checks(state)
      let other = other()
      // A request would fail in such a circle; nothing looks at a wait for an outcome.
      _ = await other.send(.count).outcome
      run.emit(await other.state)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state += mutation
  }
}
