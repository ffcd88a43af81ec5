import Testing

@testable import MillraceTesting

@Suite("FakeGateway", .timeLimit(.minutes(1)))
struct FakeGatewayTests {
  let failures = Failures()
  let gateway: FakeRecords

  init() {
    gateway = failures.collect { FakeRecords(file: "Tests/Some.swift", line: 7) }
  }

  @Test("A gateway of which all was used is finished without a failure, and may be used again")
  func finished() async throws {
    gateway.fetches.reply([Record(name: "a")])
    gateway.removals.always()
    gateway.refreshes.always()
    #expect(try await gateway.fetch("a") == [Record(name: "a")])
    try await gateway.remove("a", count: 1)
    #expect(gateway.removals.requests.map(\.count) == [1])
    await gateway.finish()
    try await gateway.refresh()
    await gateway.finish()
    #expect(failures.messages.isEmpty)
  }

  @Test("Each script that was not used fails the test at its line")
  func unusedScripts() async throws {
    gateway.fetches.reply([], times: 3)
    let line: UInt = #line
    let lines = [line - 1, line + 2, line + 3, line + 4]
    gateway.fetches.when("b").fail(Offline())
    gateway.removals.reply()
    let held = gateway.refreshes.hold()
    _ = try await gateway.fetch("a")
    let waiting = Task { try await held.arrived() }
    await gateway.finish()
    let fix = "in all. Take it out, find out why the call is not made, or use always(…), which may be left unused."
    #expect(
      failures.messages == [
        "What is scripted here for fetch was never used; fetch was called once \(fix)",
        "What is scripted here for fetch was used 1 of 3 times; fetch was called once \(fix)",
        "What is scripted here for remove was never used; remove was called 0 times \(fix)",
        "What is scripted here for refresh was never used; refresh was called 0 times \(fix)",
      ])
    #expect(failures.lines == [lines[1], lines[0], lines[2], lines[3]])
    #expect(Set(failures.files) == [#filePath])
    await #expect(throws: CancellationError.self) { try await waiting.value }
    await gateway.finish()
    #expect(failures.messages.count == 4)
  }

  @Test("Each call that has not ended fails the test where it was scripted, and a held one ends then")
  func openCalls() async throws {
    let gate = Gate()
    let held = gateway.fetches.hold()
    let lines = [UInt(#line - 1), UInt(#line + 1)]
    gateway.refreshes.always { try? await gate.enter() }
    let fetching = Task { try await gateway.fetch("a") }
    let refreshing = Task { try await gateway.refresh() }
    try await held.arrived()
    try await gate.waitForArrivals()
    await gateway.finish()
    let fix = """
      got what is scripted here, and has not ended. Before finish(), let go what holds it, await what made it, or cancel that.
      """
    #expect(failures.messages == [#"fetch("a") (call 1) \#(fix)"#, "refresh() (call 1) \(fix)"])
    #expect(failures.lines == lines)
    let error = await #expect(throws: FakeGatewayError.self) { try await fetching.value }
    #expect(error?.code == .finished)
    #expect(
      error?.description
        == "The call was still held when finish() was called; call release(_:) or fail(_:) on what holds it before that."
    )
    gate.open()
    try await refreshing.value
    #expect(failures.messages.count == 2)
  }

  /// A method whose open call ends when the gate is opened.
  private final class Closing: FakeMethod {
    let gate = Gate()
    let steps = Recorder<String>()

    func waitUntilQuiet() async {
      try? await gate.enter()
      steps.record("quiet")
    }

    func end() { steps.record("end") }
    func settle() async {}
    func use(clock: any Clock<Duration>) {}
    func keepLog(_ size: FakeLogSize) {}
    func inject(_ faults: FakeFaults?) {}
  }

  @Test("Before the fakes are asked what is left, calls that are being cancelled have time to end")
  func closingCalls() async throws {
    let method = Closing()
    let finishing = Task { await method.finish() }
    try await method.gate.waitForArrivals()
    method.gate.open()
    await finishing.value
    #expect(method.steps.recorded == ["quiet", "end"])
  }

  @Test("A call that is cancelled while the test ends is no failure")
  func cancelledMeanwhile() async throws {
    let held = gateway.fetches.hold()
    let fetching = Task { try await gateway.fetch("a") }
    try await held.arrived()
    async let finished: Void = gateway.finish()
    fetching.cancel()
    await finished
    #expect(failures.messages.isEmpty)
    await #expect(throws: CancellationError.self) { try await fetching.value }
  }

  @Test("A failure of a fake that was made in a test is an issue of that test")
  func failureIsAnIssue() async {
    await withKnownIssue {
      let gateway = FakeRecords()
      gateway.fetches.reply([])
      await Task.detached { await gateway.finish() }.value
    } matching: {
      $0.comments.first?.rawValue.hasPrefix("What is scripted here for fetch was never used;") == true
        && $0.sourceLocation?.fileName == "FakeGatewayTests.swift"
    }
  }

  @Test("Clock and log are set for all calls of a gateway")
  func settings() async throws {
    gateway.fetches.always([])
    gateway.refreshes.always()
    gateway.use(clock: ImmediateClock())
    gateway.keepLog(.last(1))
    for _ in 0..<3 {
      _ = try await gateway.fetch("a")
      try await gateway.refresh()
    }
    #expect(gateway.fetches.calls.map(\.number) == [3])
    #expect(gateway.refreshes.calls.map(\.began) == [.zero])
  }

  @Test("A gateway released without having been finished fails the test for each unused script")
  func letGo() async throws {
    let line = UInt(#line + 4)
    let (recorder, waiting) = (Recorder<String>(), Box<HeldCall<String, [Record]>?>(nil))
    await failures.collect {
      let gateway = FakeRecords()
      gateway.fetches.reply([], times: 3)
      waiting.value = gateway.fetches.hold()
      gateway.removals.always()
      recorder.record(await (try? gateway.fetch("a"))?.description ?? "failed")
    }
    let end = """
      Take it out, find out why the call is not made, or use always(…), which may be left unused; and end the test with \
      finish() of its gateway.
      """
    let calls = "fetch was called once and then released without finish(). \(end)"
    #expect(
      failures.messages == [
        "What is scripted here for fetch was used 1 of 3 times; \(calls)",
        "What is scripted here for fetch was never used; \(calls)",
      ])
    #expect(failures.lines == [line, line + 1])
    await #expect(throws: CancellationError.self) { try await waiting.value?.arrived() }
    #expect(recorder.recorded == ["[]"])
  }

  @Test("A script left when a fake is released is an issue of the test that made it, in any task")
  func lettingGoIsAnIssue() async {
    for isDetached in [false, true] {
      await withKnownIssue {
        let holder = Box<FakeRecords?>(FakeRecords())
        holder.value?.fetches.reply([])
        let reports = holder.value?.fetches.reports
        await Self.letGo(holder, isDetached: isDetached)
        await reports?.settle()
      } matching: {
        $0.comments.first?.rawValue.contains("and then released without finish()") == true
          && $0.sourceLocation?.fileName == "FakeGatewayTests.swift"
      }
    }
  }

  private static func letGo(_ holder: Box<FakeRecords?>, isDetached: Bool) async {
    if isDetached {
      await Task.detached { holder.value = nil }.value
    } else {
      holder.value = nil
    }
  }

  @Test("Fakes are found in structs within, behind existentials, in optionals, arrays and tuples, and each once")
  func found() {
    struct Inner: Sendable { let first = FakeCall<Int, Int>("first") }
    struct Outer: FakeGateway {
      let inner = Inner()
      let second: FakeCall<Int, Int>? = FakeCall("second")
      let none: FakeCall<Int, Int>? = nil
      let more = [FakeCall<Int, Int>("third"), FakeCall("fourth")]
      let pair = (FakeCall<Int, Int>("fifth"), 1)
      let records: any RecordsGateway
      let again: FakeRecords
      let object: Shelf
      var name = "outer"
    }
    let names = Outer(records: gateway, again: gateway, object: Shelf()).fakes.map {
      ($0 as? FakeCall<Int, Int>)?.name ?? "other"
    }
    #expect(names == ["first", "second", "third", "fourth", "fifth", "other", "other", "other", "loads", "saves"])
  }

  /// A class has to say what its fakes are, and is asked.
  final class Shelf: FakeGateway {
    let loads = FakeCall<Int, Int>("loads")
    let saves = FakeCall<Int, Int>("saves")
    var fakes: [any FakeMethod] { [loads, saves] }
  }

  /// An actor, whose properties cannot be read synchronously.
  actor Desk: FakeGateway {
    let loads = FakeCall<Int, Int>("load")
    private(set) var loaded: [Int] = []
    nonisolated var fakes: [any FakeMethod] { [loads] }

    func load(_ number: Int) async throws {
      loaded.append(try await loads(number))
    }
  }

  @Test("An actor is finished while it works")
  func actors() async throws {
    let desk = failures.collect { Desk() }
    desk.keepLog(.last(10))
    desk.loads.always { $0 }
    desk.loads.when(-1).reply(1)
    try await withThrowingTaskGroup { group in
      for number in 0..<100 { group.addTask { try await desk.load(number) } }
      for _ in 0..<10 { _ = desk.fakes }
      try await group.waitForAll()
    }
    await desk.finish()
    #expect(await desk.loaded.sorted() == Array(0..<100))
    #expect(failures.messages.count == 1)
  }

  @Test("A gateway without fakes cannot be finished")
  func withoutFakes() async {
    struct Nothing: FakeGateway {}
    let failures = Failures()
    await failures.collect { await Nothing().finish(file: "Tests/Some.swift", line: 9) }
    #expect(
      failures.messages == [
        """
        Nothing has neither a FakeCall nor a FakeStream among its fakes, so there is nothing to finish. Give it one for \
        each method of its gateway, as a stored property.
        """
      ])
    #expect(failures.lines == [9])
  }
}
