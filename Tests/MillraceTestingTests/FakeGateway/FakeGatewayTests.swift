import MillraceTesting
import Testing

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
    let lines = [UInt(#line - 1), UInt(#line + 1), UInt(#line + 2), UInt(#line + 3)]
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

  @Test("Fakes are found in classes and their superclasses, in values within, behind existentials, and each once")
  func found() {
    class Base: @unchecked Sendable { let first = FakeCall<Int, Int>("first") }
    final class Derived: Base, FakeGateway, @unchecked Sendable { let second: FakeCall<Int, Int>? = FakeCall("second") }
    struct Outer: FakeGateway {
      let inner = Derived()
      let records: any RecordsGateway
      let again: FakeRecords
      var name = "outer"
    }
    let channels = FakeChannels.of(Outer(records: gateway, again: gateway))
    #expect(channels.count == 5)
    let names = channels.map { ($0 as? FakeCall<Int, Int>)?.name ?? "other" }
    #expect(names == ["second", "first", "other", "other", "other"])
  }

  @Test("A gateway without fakes cannot be finished")
  func withoutFakes() async {
    struct Nothing: FakeGateway {}
    let failures = Failures()
    await failures.collect { await Nothing().finish(file: "Tests/Some.swift", line: 9) }
    #expect(
      failures.messages == [
        """
        Nothing has neither a FakeCall nor a FakeStream among its stored properties, so there is nothing to finish. \
        Give it one for each method of its gateway.
        """
      ])
    #expect(failures.lines == [9])
  }
}
