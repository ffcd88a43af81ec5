import Foundation
import MillraceSocketClient
import MillraceTesting
import Testing

@testable import MillraceInspector

@Suite("Service manager", .timeLimit(.minutes(1)))
struct ServiceManagerTests {
  @Test("Each message is one datagram with its lines, in a file or under an abstract name", arguments: [false, true])
  func messages(isAbstract: Bool) throws {
    let listener = try DatagramListener(isAbstract: isAbstract)
    let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": listener.name]))
    manager.ready(status: "serving\r\n2 stores\nREADY=0")
    #expect(listener.waiting() == "READY=1\nSTATUS=serving 2 stores READY=0")
    manager.ready()
    #expect(listener.waiting() == "READY=1")
    manager.status("half")
    #expect(listener.waiting() == "STATUS=half")
    manager.stopping(status: "drains")
    #expect(listener.waiting() == "STOPPING=1\nSTATUS=drains")
    manager.extendTimeout(by: .milliseconds(2_500))
    #expect(listener.waiting() == "EXTEND_TIMEOUT_USEC=2500000")
    manager.extendTimeout(by: .zero)
    #expect(listener.waiting() == "EXTEND_TIMEOUT_USEC=1")
    manager.reloading()
    let lines = try #require(listener.waiting()).split(separator: "\n")
    #expect(lines.first == "RELOADING=1" && lines.count == 2)
    #expect(lines.last?.hasPrefix("MONOTONIC_USEC=") == true && Int64(lines.last?.dropFirst(15) ?? "") ?? 0 > 0)
    #expect(listener.waiting() == nil && manager.watchdogInterval == nil)
  }

  @Test("Without a socket there is no manager, and one whose socket is missing drops the messages")
  func noSocket() throws {
    #expect(ServiceManager(environment: [:]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": ""]) == nil)
    #expect(ServiceManager(environment: ["NOTIFY_SOCKET": "vsock:2:1"]) == nil)
    try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/socket"])).ready()
    try #require(ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)])).ready()
  }

  @Test(
    "The interval of the watchdog is that of the process",
    arguments: [
      (["WATCHDOG_USEC": "3000000"], .seconds(3)),
      (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())"], .seconds(3)),
      (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"], nil), (["WATCHDOG_USEC": "0"], nil),
      (["WATCHDOG_USEC": "-5"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
    ] as [([String: String], Duration?)])
  func watchdogInterval(environment: [String: String], interval: Duration?) throws {
    let all = environment.merging(["NOTIFY_SOCKET": "@x"]) { $1 }
    #expect(try #require(ServiceManager(environment: all)).watchdogInterval == interval)
  }

  @Test("Signs of life come twice in an interval, until the task is cancelled")
  func keepAlive() async throws {
    let (listener, clock) = (try DatagramListener(isAbstract: true), TestClock())
    let environment = ["NOTIFY_SOCKET": listener.name, "WATCHDOG_USEC": "10000000"]
    let manager = try #require(ServiceManager(environment: environment))
    let task = Task { await manager.keepAlive(clock: clock) }
    for _ in 0..<3 {
      try await clock.waitForSleepers()
      #expect(listener.waiting() == "WATCHDOG=1" && listener.waiting() == nil)
      clock.advance(by: .seconds(5))
    }
    try await clock.waitForSleepers()
    #expect(listener.waiting() == "WATCHDOG=1")
    task.cancel()
    await task.value
    #expect(listener.waiting() == nil)
    // Without a watchdog it returns.
    await ServiceManager(environment: ["NOTIFY_SOCKET": listener.name])?.keepAlive(clock: clock)
    #expect(listener.waiting() == nil)
  }
}
