import MillraceTesting
import Testing

@Suite("UnimplementedClock", .timeLimit(.minutes(1)))
struct UnimplementedClockTests {
  @Test("Each way to use it fails the test once, at the line where it was made, and it continues as an immediate clock")
  func useIsAFailure() async throws {
    let failures = Failures()
    let clock = failures.collect { UnimplementedClock(file: "Tests/Some.swift", line: 7) }
    _ = clock.minimumResolution
    #expect(failures.messages.isEmpty)
    await Task.detached { _ = clock.now }.value
    try await clock.sleep(until: .init(offset: .seconds(2)))
    try await clock.sleep(for: .seconds(1))
    let fix = """
      was called, but this test expects that no time is needed. Give what called it a TestClock, or an ImmediateClock if its \
      sleeps do not matter, or find out why it needs the time.
      """
    #expect(
      failures.messages == ["UnimplementedClock.now \(fix)", "UnimplementedClock.sleep(until:) \(fix)"])
    #expect(failures.lines == [7, 7])
    #expect(failures.files == ["Tests/Some.swift", "Tests/Some.swift"])
    #expect(clock.now.offset == .seconds(3))
  }

  @Test("An unused clock is no failure")
  func noUseIsNoFailure() {
    let failures = Failures()
    _ = failures.collect { UnimplementedClock() }
    #expect(failures.messages.isEmpty)
  }
}
