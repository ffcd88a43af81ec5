import Millrace
import MillraceJournal
import MillraceTesting
import Testing

@Suite("The schema of a store", .timeLimit(.minutes(1)))
struct StoreSchemaTests {
  private let journal = MemoryJournal()

  private func open<I: Interactor>(
    _ interactor: I, _ initial: I.State, _ schema: StoreSchema<I>, snapshots: Bool = false,
    report: (@Sendable (Incident) -> Void)? = nil
  ) async throws -> Store<I> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
    var options = JournalOptions()
    (options.truncatesLog, options.snapshotAtShutdown) = (snapshots, true)
    let store = try await Store.open(
      initial: initial, interactor: interactor, journal: journal, key: "prices",
      configuration: StoreConfiguration(report: report), schema: schema, options: options)
    return store
  }

  /// Writes three mutations of the first version: two by a decision, one by a closing.
  private func write(truncating: Bool) async throws {
    let store = try await open(Prices.V1(), [], StoreSchema(), snapshots: truncating)
    _ = await store.send(.set(["1.50", "2.25"])).outcome
    _ = await store.send(.fail).outcome
    await store.shutdown(drainFor: .seconds(1))
  }

  private static let upcasting = StoreSchema<Prices>(version: 2)
    .upcasting(from: 1) { (old: Prices.V1.Mutation) in try Prices.Mutation(old) }

  @Test("D5: a mutation of an earlier version becomes exactly one of this version, so revisions keep their meaning")
  func upcasts() async throws {
    try await write(truncating: false)
    let store = try await open(Prices(), [], Self.upcasting)
    let snapshot = await store.snapshot
    #expect(snapshot.state == [150, 225, 0] && snapshot.revision == 3)
    #expect(await store.send(.set(9)).lastRevision == 4)
    #expect(try await open(Prices(), [], Self.upcasting).state == [150, 225, 0, 9], "both versions are in the log")
  }

  @Test("An earlier version without a way to this one stops the opening with its sequence and the fix")
  func missing() async throws {
    try await write(truncating: false)
    let error = await #expect(throws: JournalError.self) { _ = try await open(Prices(), [], StoreSchema(version: 2)) }
    #expect(error?.code == .corrupt && error?.sequence == 2)
    #expect(
      error?.description
        == "Record 2 of \"prices\" is whole and cannot be read: it has the schema version 1, and the schema of version 2 has no "
        + "'upcasting(from: 1)'; read it with the version of the program that wrote it.")
  }

  @Test("An error of an upcaster stops the opening with the sequence of its record, and changes nothing")
  func throwing() async throws {
    try await write(truncating: false)
    let schema = StoreSchema<Prices>(version: 2)
      .upcasting(from: 1) { (_: Prices.V1.Mutation) in throw Accounts.Refusal(description: "no price") }
    let error = await #expect(throws: JournalError.self) { _ = try await open(Prices(), [], schema) }
    #expect(error?.sequence == 2 && error?.description.contains("no price") == true)
    #expect(try await open(Prices(), [], Self.upcasting).state == [150, 225, 0])
  }

  @Test("A record of a later version stops the opening, and names both versions")
  func later() async throws {
    let second = try await open(Prices(), [], StoreSchema(version: 2))
    _ = await second.send(.set(1)).outcome
    let error = await #expect(throws: JournalError.self) { _ = try await open(Prices(), [], StoreSchema()) }
    #expect(error?.description.contains("it has the schema version 2, and this program writes 1") == true)
  }

  @Test("A snapshot of another version is left out where the log is whole, and the log is read in its place")
  func wholeLog() async throws {
    try await write(truncating: false)
    #expect(try await open(Prices(), [], Self.upcasting).state == [150, 225, 0])
  }

  @Test("A snapshot of another version without its log needs a step for the state, and says so")
  func state() async throws {
    try await write(truncating: true)
    let error = await #expect(throws: JournalError.self) { _ = try await open(Prices(), [], Self.upcasting) }
    #expect(
      error?.description
        == "The snapshot of \"prices\" at 3 is whole and cannot be read: it has the schema version 1, and the schema of version 2 "
        + "has no 'upcastingState(from: 1)'; the records before it were removed, so read it with the version of the program that "
        + "wrote it, or add the step to the schema.")
    let schema = Self.upcasting.upcastingState(from: 1) { (old: [String]) in try old.map(Prices.cents) }
    let store = try await open(Prices(), [], schema)
    let snapshot = await store.snapshot
    #expect(snapshot.state == [150, 225, 0] && snapshot.revision == 3)
  }

  // MARK: Actions

  private static let jobs = StoreSchema<Jobs>(version: 2)
    .upcastingActions(from: 1) { (old: Jobs.V1.Action) in
      if ["none", "done"].contains(old.name) { throw Accounts.Refusal(description: "no job") }
      return Jobs.Action(name: old.name, count: 1)
    }

  /// Leaves the run of a job open in a log that also has one which has ended; with a snapshot of both behind it if asked for.
  private func leaveOpen(_ name: String, snapshot: Bool = false) async throws {
    var options = JournalOptions()
    if snapshot { options.snapshotRecords = 4 }
    let (gate, unsteady) = (Gate(), UnsteadyJournal(journal))
    let store = try await Store.open(
      initial: [], interactor: Jobs.V1(gate: gate), journal: unsteady, key: "prices", options: options)
    _ = await store.send(Jobs.V1.Action(name: "done")).outcome
    let receipt = store.send(Jobs.V1.Action(name: name), key: "job")
    try await gate.waitForArrivals(1)
    if snapshot { #expect(try await unsteady.snapshots.next().sequence == 4) }
    withExtendedLifetime((store, receipt)) {}
  }

  @Test(
    "An action of an earlier version whose run is open becomes one of this version: from a record, and from a snapshot",
    arguments: [false, true])
  func upcastsActions(snapshot: Bool) async throws {
    try await leaveOpen("a", snapshot: snapshot)
    let store = try await open(Jobs(), [], Self.jobs)
    #expect(try await store.wait { $0.last == "a 1" }.contains("a begins"))
    #expect(await store.send(Jobs.Action(name: "b", count: 2)).outcome.kind == .finished)
    await store.shutdown()
    #expect(try await open(Jobs(), [], Self.jobs).state.last == "b 2", "both versions are in the log")
  }

  // It stopped the opening, and with it all other work of the store.
  @Test(
    "T9: an open run whose action no step decodes stays open through stores and snapshots, until a version has the step",
    arguments: [false, true])
  func actionNotUpcast(snapshot: Bool) async throws {
    let incidents = Recorder<Incident>()
    try await leaveOpen("none", snapshot: snapshot)
    for life in 1...2 {
      // The second life reads the run from a snapshot of this version.
      let store = try await open(Jobs(), [], Self.jobs, snapshots: true) { incidents.record($0) }
      #expect(await store.send(Jobs.Action(name: "b", count: life)).outcome.kind == .finished)
      let refused = await store.send(Jobs.Action(name: "none", count: 1), key: "job").outcome
      guard case .rejected(let rejection) = refused, rejection.kind == .journal else {
        Issue.record("An action with the key of the run was not rejected: \(refused)")
        return
      }
      #expect("\(rejection)".contains("no job"))
      #expect(await store.shutdown().leftOpen.isEmpty)
    }
    #expect(incidents.recorded.map(\.kind) == [.unreadableAction, .unreadableAction])
    #expect(
      incidents.recorded.first?.description.hasSuffix("no job; add 'upcastingActions(from: 1)' to the schema.") == true)
    let schema = StoreSchema<Jobs>(version: 2)
      .upcastingActions(from: 1) { (old: Jobs.V1.Action) in Jobs.Action(name: old.name, count: 7) }
    let store = try await open(Jobs(), [], schema)
    #expect(await store.send(Jobs.Action(name: "none", count: 1), key: "job").outcome.kind == .finished)
    #expect(
      await store.state == ["done begins", "none begins", "b 1", "b 2", "none 7"], "it was done once for its key")
  }

  @Test("The step for an action is called for the runs that are open, and for no other one")
  func endedActions() async throws {
    try await leaveOpen("a")
    let names = Recorder<String>()
    let schema = StoreSchema<Jobs>(version: 2)
      .upcastingActions(from: 1) { (old: Jobs.V1.Action) in
        names.record(old.name)
        return Jobs.Action(name: old.name, count: 1)
      }
    let store = try await open(Jobs(), [], schema)
    _ = try await store.wait { $0.last == "a 1" }
    #expect(names.recorded == ["a"])
  }

  @Test("Without a step for the actions of a version, its mutations need one too")
  func noStep() async throws {
    try await leaveOpen("a")
    let schema = StoreSchema<Jobs>(version: 3).upcastingActions(from: 2) { (old: Jobs.Action) in old }
    let error = await #expect(throws: JournalError.self) { _ = try await open(Jobs(), [], schema) }
    #expect(error?.description.contains("has no 'upcasting(from: 1)'") == true)
  }
}

/// Jobs that are handled again, each with its count; the first version had none.
private struct Jobs: Interactor {
  struct Action: Sendable, Codable {
    let name: String
    let count: Int
  }

  func plan(for action: Action, state: [String]) -> Plan { .concurrent.recovery(.handleAgain) }

  func decide(_ action: Action, state: [String]) -> Decision<String> { .handle }

  func handle(_ action: Action, state: [String]) -> Effect<Self> {
    Effect { run in run.emit("\(action.name) \(action.count)") }
  }

  static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }

  struct V1: Interactor {
    struct Action: Sendable, Codable { let name: String }

    let gate: Gate

    func plan(for action: Action, state: [String]) -> Plan { .concurrent.recovery(.handleAgain) }

    func decide(_ action: Action, state: [String]) -> Decision<String> {
      .mutate("\(action.name) begins", thenHandle: true)
    }

    func handle(_ action: Action, state: [String]) -> Effect<Self> {
      Effect { _ in if action.name != "done" { try await gate.enter() } }
    }

    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }
}

/// Prices in cents; the first version had them as texts.
private struct Prices: Interactor {
  enum Action: Sendable, Codable { case set(Int) }

  struct Mutation: Sendable, Codable {
    let cents: Int

    init(cents: Int) { self.cents = cents }

    init(_ old: V1.Mutation) throws { cents = try Prices.cents(old.price) }
  }

  static func cents(_ price: String) throws -> Int {
    guard let value = Double(price) else { throw Accounts.Refusal(description: "no price") }
    return Int(value * 100)
  }

  func decide(_ action: Action, state: [Int]) -> Decision<Mutation> {
    switch action {
    case .set(let cents): .mutate(Mutation(cents: cents))
    }
  }

  func handle(_ action: Action, state: [Int]) -> Effect<Self> { .none }

  static func reduce(into state: inout [Int], mutation: Mutation) { state.append(mutation.cents) }

  struct V1: Interactor {
    enum Action: Sendable, Codable {
      case set([String])
      case fail
    }

    struct Mutation: Sendable, Codable { let price: String }

    func decide(_ action: Action, state: [String]) -> Decision<Mutation> {
      switch action {
      case .set(let prices): .mutate(prices.map { Mutation(price: $0) })
      case .fail: .reject(Accounts.Refusal(description: "it fails"))
      }
    }

    func handle(_ action: Action, state: [String]) -> Effect<Self> { .none }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? { Mutation(price: "0") }

    static func reduce(into state: inout [String], mutation: Mutation) { state.append(mutation.price) }
  }
}
