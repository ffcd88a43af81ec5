import Millrace
import MillraceTesting

/// Work that a cancellation, a shutdown or a time limit meets.
extension KnownBug {
  static let timedWork = [
    KnownBug(
      name: "Connection open after the shutdown", need: .idleActor,
      harm: "A release checks for the shutdown, waits, and keeps the connection"
    ) { world, isBroken in
      let network = Network()
      let pool = ConnectionPool(network: network, isBroken: isBroken)
      await withTaskGroup { group in
        for _ in 0..<2 {
          group.addTask { if let connection = await pool.acquire() { await pool.release(connection) } }
        }
        group.addTask { await pool.shutDown() }
      }
      world.expect(await network.openCount == 0, "no connection is open after the shutdown")
    },

    KnownBug(
      name: "Seat kept after a timeout", need: .time,
      harm: "The gateway takes the seat, and the answer comes after the time limit"
    ) { world, isBroken in
      let (takes, returns) = (FakeCall<Int, Void>("take"), FakeCall<Int, Void>("return"))
      let taken = Box<[Int]>([])
      takes.always { seat in
        taken.update { $0.append(seat) }
        try await world.clock.sleep(for: world.duration(in: .zero ... .milliseconds(2_200)))
      }
      returns.always { seat in taken.update { $0.removeAll { $0 == seat } } }
      let booking = Booking(takes: takes, returns: returns, isBroken: isBroken)
      let store = Store(initial: [], interactor: booking, configuration: world.configuration)
      world.atTheEnd("each seat that is taken is booked", of: store) { taken.value.sorted() == $0.sorted() }
      for seat in world.actions(4, from: [0]).indices { store.send(seat) }
      await store.shutdown(drainFor: .seconds(10))
      // A handler that was timed out returns its seat within this time.
      try await world.clock.sleep(for: .seconds(1))
    },

    KnownBug(
      name: "Count below zero", need: .time,
      harm: "An upload is counted down at its end, and again by a cancellation after that"
    ) { world, isBroken in
      let (uploads, audits) = (FakeCall<Int, Void>("upload"), FakeCall<Int, Void>("audit"))
      for call in [uploads, audits] {
        call.always { _ in }
        call.inject(world.faults(latency: .uniform(.zero ... .seconds(1))))
      }
      let store = Store(
        initial: Uploads.State(isBroken: isBroken), interactor: Uploads(uploads: uploads, audits: audits),
        configuration: world.configuration)
      world.always("no count is below zero", of: store) { $0.count >= 0 }
      let pauses = world.actions(4, from: [Duration.milliseconds(300), .milliseconds(900), .milliseconds(1_500)])
      for (number, pause) in pauses.enumerated() {
        let receipt = store.send(number)
        try await world.clock.sleep(for: pause)
        receipt.cancel()
      }
      await store.shutdown(drainFor: .seconds(10))
      world.expect(await store.state.count == 0, "no upload is left at the end")
    },

    KnownBug(
      name: "Leader without its lease", need: .faultAndTiming,
      harm: "A slow leader writes after the end of its lease, and after another leader"
    ) { world, isBroken in
      let computations = FakeCall<Int, Void>("compute")
      computations.always { _ in }
      computations.inject(world.faults(latency: .uniform(.zero ... .seconds(1)), [.slow: 0.1]))
      let (leases, storage) = (Leases(), LeaderStorage(isBroken: isBroken))
      try await withThrowingTaskGroup { group in
        for candidate in 0..<2 {
          group.addTask {
            for _ in 0..<3 {
              if let term = await leases.acquire(at: world.clock.now.offset) {
                try await computations(candidate)
                await storage.write(by: term)
                await leases.release(term)
              }
              try await world.clock.sleep(for: world.duration(in: .zero ... .seconds(4)))
            }
          }
        }
        try await group.waitForAll()
      }
      let terms = await storage.terms
      world.expect(terms == terms.sorted(), "no leader writes after a later one")
    },
  ]
}

/// Connections that wait for their next use.
private actor ConnectionPool {
  private let network: Network
  private let isBroken: Bool
  private var idle: [Int] = []
  private var isShutDown = false

  init(network: Network, isBroken: Bool) {
    (self.network, self.isBroken) = (network, isBroken)
  }

  /// A connection; nil after the shutdown.
  func acquire() async -> Int? {
    if isShutDown { return nil }
    if let connection = idle.popLast() { return connection }
    return await network.open()
  }

  func release(_ connection: Int) async {
    if isShutDown { return await network.close(connection) }
    await network.reset(connection)
    if !isBroken, isShutDown { return await network.close(connection) }
    idle.append(connection)
  }

  func shutDown() async {
    isShutDown = true
    let connections = idle
    idle = []
    for connection in connections { await network.close(connection) }
  }
}

/// Opens and closes connections, and counts the open ones.
private actor Network {
  private var opened = 0
  private(set) var openCount = 0
  private var resets = 0

  func open() -> Int {
    opened += 1
    openCount += 1
    return opened
  }

  func reset(_ connection: Int) {
    resets += 1
  }

  func close(_ connection: Int) {
    openCount -= 1
  }
}

/// Books a seat within two seconds; its state is the booked seats.
private struct Booking: Interactor {
  let takes: FakeCall<Int, Void>
  let returns: FakeCall<Int, Void>
  let isBroken: Bool

  func plan(for seat: Int, state: [Int]) -> Plan { Plan.concurrent.timeout(.seconds(2)) }

  func handle(_ seat: Int, state: [Int]) async -> Effect<Self> {
    Effect { run in
      let isTaken = (try? await takes(seat)) != nil
      if isTaken, run.emit(seat) { return }
      if !isBroken { try await returns(seat) }
    }
  }

  static func reduce(into state: inout [Int], mutation seat: Int) {
    state.append(seat)
  }
}

/// Counts the uploads that have not ended; an action is the number of an upload.
private struct Uploads: Interactor {
  enum Mutation: Sendable { case began(Int), ended(Int) }

  struct State: Sendable {
    let isBroken: Bool
    var open: Set<Int> = []
    var count = 0
  }

  let uploads: FakeCall<Int, Void>
  let audits: FakeCall<Int, Void>

  func decide(_ number: Int, state: State) -> Decision<Mutation> {
    .mutate(.began(number), thenHandle: true)
  }

  func handle(_ number: Int, state: State) async -> Effect<Self> {
    Effect { run in
      try await uploads(number)
      run.emit(.ended(number))
      try await audits(number)
    }
  }

  func closing(_ number: Int, outcome: Outcome) -> Mutation? { .ended(number) }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .began(let number):
      state.open.insert(number)
      state.count += 1
    case .ended(let number):
      let isOpen = state.open.remove(number) != nil
      if state.isBroken || isOpen { state.count -= 1 }
    }
  }
}

/// A lease of three seconds, with a term that grows.
private actor Leases {
  private var term = 0
  private var end: Duration?

  func acquire(at time: Duration) -> Int? {
    if let end, time < end { return nil }
    term += 1
    end = time + .seconds(3)
    return term
  }

  func release(_ term: Int) {
    if term == self.term { end = nil }
  }
}

/// Storage that refuses a leader of an earlier term.
private actor LeaderStorage {
  private let isBroken: Bool
  private(set) var terms: [Int] = []

  init(isBroken: Bool) {
    self.isBroken = isBroken
  }

  func write(by term: Int) {
    if isBroken || term >= terms.last ?? 0 { terms.append(term) }
  }
}
