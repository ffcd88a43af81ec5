import Millrace
import MillraceTesting

/// Work that is done again after a fault.
extension KnownBug {
  static let repeatedWork = [
    KnownBug(
      name: "Two probes of a breaker", need: .faultAndTiming,
      harm: "A half-open breaker admits each call that comes while its probe runs"
    ) { world, isBroken in
      let calls = FakeCall<Bool, Void>("call")
      let probes = Box((now: 0, most: 0))
      calls.always { _ in }
      calls.inject(world.faults(latency: .uniform(.zero ... .seconds(1)), [.reset: 0.1]))
      let breaker = Breaker(calls: calls, probes: probes, clock: world.clock, isBroken: isBroken)
      let pauses = world.actions(8, from: [Duration.milliseconds(100), .seconds(2), .seconds(11)])
      await withTaskGroup { group in
        for pause in pauses {
          try? await world.clock.sleep(for: pause)
          group.addTask { try? await breaker.call() }
        }
      }
      world.expect(probes.value.most <= 1, "a breaker has one probe at a time")
    },

    KnownBug(
      name: "Delivery charged twice", need: .faultAndTiming,
      harm: "Two deliveries of a message each find that it has not been seen"
    ) { world, isBroken in
      let (seen, charges) = (SeenMessages(), Charges())
      await withTaskGroup { group in
        for message in world.actions(6, from: [0]).indices {
          for _ in 0..<(world.fault(0.05) ? 2 : 1) {
            group.addTask {
              if isBroken {
                guard await !seen.contains(message) else { return }
                await charges.add(message)
                await seen.insert(message)
              } else if await seen.insert(message) {
                await charges.add(message)
              }
            }
          }
        }
      }
      let messages = await charges.messages
      world.expect(Set(messages).count == messages.count, "no message is charged twice")
    },

    KnownBug(
      name: "Stock returned twice", need: .faultAndTiming,
      harm: "A failed charge and a cancellation both return the stock of an order"
    ) { world, isBroken in
      let charges = FakeCall<Int, Void>("charge")
      charges.always { _ in }
      charges.inject(world.faults([.reset: 0.1]))
      let orders = Orders(charges: charges, isBroken: isBroken)
      await withTaskGroup { group in
        for order in world.actions(4, from: [0]).indices {
          group.addTask { await orders.place(order) }
          group.addTask { await orders.cancel(order) }
        }
      }
      for order in 0..<4 { await orders.cancel(order) }
      world.expect(await orders.stock.count == 10, "each order returns its stock once")
    },

    KnownBug(
      name: "Retry charged twice", need: .fault,
      harm: "An answer is lost, and the next attempt has another key"
    ) { world, isBroken in
      let charges = FakeCall<String, Void>("charge")
      let charged = Box<Set<String>>([])
      charges.always { key in charged.update { _ = $0.insert(key) } }
      charges.inject(world.faults(latency: .uniform(.zero ... .seconds(1)), [.timeout: 0.05]))
      let checkout = Checkout(charges: charges, isBroken: isBroken)
      let store = Store(initial: 0, interactor: checkout, configuration: world.configuration)
      let orders = world.actions(4, from: [0]).indices
      for order in orders { store.send(order) }
      await store.shutdown(drainFor: .seconds(60))
      world.expect(charged.value.count <= orders.count, "each order is charged once")
    },
  ]
}

/// Admits calls while it is closed, and a single probe when it has been open for ten seconds.
private actor Breaker {
  struct Open: Error {}

  private enum Phase {
    case closed, halfOpen
    case open(until: Duration)
  }

  private let calls: FakeCall<Bool, Void>
  private let probes: Box<(now: Int, most: Int)>
  private let clock: TestClock
  private let isBroken: Bool
  private var phase = Phase.closed

  init(calls: FakeCall<Bool, Void>, probes: Box<(now: Int, most: Int)>, clock: TestClock, isBroken: Bool) {
    (self.calls, self.probes, self.clock, self.isBroken) = (calls, probes, clock, isBroken)
  }

  /// - Throws: `Open` if the breaker does not admit the call, or the error of the call.
  func call() async throws {
    guard try admit() else { return try await callWhileClosed() }
    probes.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    defer { probes.update { $0.now -= 1 } }
    do {
      try await calls(true)
      phase = .closed
    } catch {
      open()
      throw error
    }
  }

  /// Whether the call is a probe.
  private func admit() throws -> Bool {
    switch phase {
    case .closed: return false
    case .halfOpen:
      if isBroken { return true }
      throw Open()
    case .open(let end):
      if clock.now.offset < end { throw Open() }
      phase = .halfOpen
      return true
    }
  }

  private func callWhileClosed() async throws {
    do { try await calls(false) } catch {
      if case .closed = phase { open() }
      throw error
    }
  }

  private func open() {
    phase = .open(until: clock.now.offset + .seconds(10))
  }
}

/// The messages that were delivered before.
private actor SeenMessages {
  private var messages: Set<Int> = []

  func contains(_ message: Int) -> Bool { messages.contains(message) }

  /// Inserts a message, and returns whether it is new.
  @discardableResult
  func insert(_ message: Int) -> Bool { messages.insert(message).inserted }
}

/// The charged messages, one for each charge.
private actor Charges {
  private(set) var messages: [Int] = []

  func add(_ message: Int) {
    messages.append(message)
  }
}

/// Reserves stock for orders, and returns the stock of an order that fails or is cancelled.
private actor Orders {
  let stock = Stock()
  private let charges: FakeCall<Int, Void>
  private let isBroken: Bool
  private var reserved: Set<Int> = []

  init(charges: FakeCall<Int, Void>, isBroken: Bool) {
    (self.charges, self.isBroken) = (charges, isBroken)
  }

  func place(_ order: Int) async {
    await stock.add(-1)
    reserved.insert(order)
    do { try await charges(order) } catch { await cancel(order) }
  }

  func cancel(_ order: Int) async {
    guard reserved.contains(order) else { return }
    if !isBroken { reserved.remove(order) }
    await stock.add(1)
    if isBroken { reserved.remove(order) }
  }
}

/// Counts the items in stock.
private actor Stock {
  private(set) var count = 10

  func add(_ number: Int) {
    count += number
  }
}

/// Charges an order, and tries again if no answer comes within two seconds.
private struct Checkout: Interactor {
  let charges: FakeCall<String, Void>
  let isBroken: Bool

  func plan(for order: Int, state: Int) -> Plan { Plan.concurrent.attemptTimeout(.seconds(2)).retry(3) }

  func handle(_ order: Int, state: Int) async -> Effect<Self> {
    Effect { run in
      let key = isBroken ? "\(run.idempotencyKey), attempt \(run.attempt)" : run.idempotencyKey
      try await charges(key)
      run.emit(order)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state += 1
  }
}
