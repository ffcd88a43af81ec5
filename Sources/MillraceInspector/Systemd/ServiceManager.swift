public import Foundation
import Millrace

/// The state of the service, sent to systemd or another manager that sets `NOTIFY_SOCKET`: for a unit of `Type=notify`.
///
/// ```swift
/// let manager = ServiceManager()
/// // Open the stores.
/// manager?.ready(status: "serving orders")
/// async let watchdog: Void? = manager?.keepAlive()
/// ```
///
/// A message is a datagram. Its sender waits for a second at the longest while the manager has read none of several; a message that cannot be sent is dropped, because
/// the service should not fail by it. Methods may be called on any thread.
public struct ServiceManager: Sendable {
  /// The path of the socket; a name of Linux's own begins with `@`.
  private let socket: String

  /// The longest time between two signs of life, after which the manager restarts the service; nil if it wants none.
  public let watchdogInterval: Duration?

  /// Finds the manager of this process by its environment; nil if it has none.
  ///
  /// - Parameter environment: the variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; those of the process by default.
  public init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    self.socket = socket
    let isOurs = environment["WATCHDOG_PID"].map { $0 == "\(getpid())" } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdogInterval = isOurs && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Reports that the service is ready, at the start and after a reload: `READY=1`.
  public func ready(status: String? = nil) { send(["READY=1"] + Self.line(status)) }

  /// Reports the work of the service, for `systemctl status`: `STATUS=`.
  public func status(_ text: String) { send(Self.line(text)) }

  /// Reports that the service loads its configuration again, until the next ``ready(status:)``: `RELOADING=1` with `MONOTONIC_USEC`.
  public func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    send(["RELOADING=1", "MONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)"])
  }

  /// Reports that the service begins to stop: `STOPPING=1`.
  public func stopping(status: String? = nil) { send(["STOPPING=1"] + Self.line(status)) }

  /// Asks for more time for the start or the stop that is in progress: `EXTEND_TIMEOUT_USEC`.
  ///
  /// To be called again while an opening or a drain makes progress, before the time is over.
  ///
  /// - Parameter time: the time from now within which the next message comes.
  public func extendTimeout(by time: Duration) {
    let microseconds = max(time.nanoseconds / 1_000, 1)
    send(["EXTEND_TIMEOUT_USEC=\(microseconds)"])
  }

  /// Sends signs of life, `WATCHDOG=1`, until the task is cancelled; returns at once if the manager wants none.
  ///
  /// They come twice in an interval, from a task on the pool. So they stay away when the pool makes no steps, and the manager restarts the
  /// service: the check of `/livez`.
  ///
  /// - Parameter clock: the clock of the interval.
  public func keepAlive(clock: any Clock<Duration> = ContinuousClock()) async {
    guard let watchdogInterval else { return }
    while !Task.isCancelled {
      // One that finds the manager busy is no loss.
      send(["WATCHDOG=1"], waits: false)
      // A clock that does not sleep would have this loop use up a processor.
      do { try await clock.sleep(for: watchdogInterval / 2) } catch { return }
    }
  }

  /// The line of a status, which is one line.
  private static func line(_ status: String?) -> [String] {
    status.map { ["STATUS=" + $0.split(whereSeparator: \.isNewline).joined(separator: " ")] } ?? []
  }

  private func send(_ lines: [String], waits: Bool = true) {
    let message = Array(lines.joined(separator: "\n").utf8)
    guard var address = unixAddress(socket) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { if $0[0] == UInt8(ascii: "@") { $0[0] = 0 } }
    // The name of an abstract socket ends with the length of the address.
    let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + socket.utf8.count)
    let descriptor = openSocket(AF_UNIX, isStream: false)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    #if canImport(Glibc)
      let silent = Int32(MSG_NOSIGNAL)
    #else
      let silent: Int32 = 0
    #endif
    let flags = silent | (waits ? 0 : Int32(MSG_DONTWAIT))
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(
          descriptor, message, message.count, flags, $0, length)
      }
    }
  }
}
