import Foundation

/// The connection of one client; each call blocks its thread, for a bounded time.
struct LineConnection {
  /// The reason for which nothing is read from a connection any more.
  enum End: Error {
    /// The connection is broken, or ended between two requests.
    case closed
    /// The client has ended what it sends within a request.
    case ended
    case late
    case tooLong
  }

  /// The most bytes of a line.
  private static let longestLine = 1_024

  let descriptor: Int32
  /// The longest that the client may take for a line, for a body and for an answer.
  let patience: Duration
  private var received: ArraySlice<UInt8> = []

  init(_ descriptor: Int32, patience: Duration) {
    self.descriptor = descriptor
    self.patience = patience
  }

  /// Whether bytes were received behind those that were read.
  var hasInput: Bool { !received.isEmpty }

  /// Reads a line; `idle` is how long the client may take to begin it.
  mutating func line(idle: Duration) throws(End) -> String {
    if received.isEmpty {
      do { try receive(until: .now + idle) } catch { throw .closed }
    }
    let deadline = ContinuousClock.now + patience
    while true {
      if let end = received.prefix(Self.longestLine + 1).firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[..<end]
        received = received[(end + 1)...]
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      }
      guard received.count <= Self.longestLine else { throw .tooLong }
      try receive(until: deadline)
    }
  }

  /// Reads exactly `count` bytes.
  mutating func bytes(_ count: Int) throws(End) -> Data {
    let deadline = ContinuousClock.now + patience
    while received.count < count { try receive(until: deadline) }
    defer { received = received.dropFirst(count) }
    return Data(received.prefix(count))
  }

  /// Sends all bytes.
  func send(_ data: Data) throws(End) {
    let deadline = ContinuousClock.now + patience
    var rest = data[...]
    while !rest.isEmpty {
      // A client that does not take an answer cannot be told anything.
      do { try wait(for: POLLOUT, until: deadline) } catch { throw .closed }
      let sent = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count) }
      if sent < 0, errno != EINTR && errno != EAGAIN { throw .closed }
      rest = rest.dropFirst(max(sent, 0))
    }
  }

  /// Ends what is sent, and reads until the client has closed: a close with bytes unread would take the answer back.
  mutating func finish() {
    let deadline = ContinuousClock.now + patience
    shutdown(descriptor, Int32(SHUT_WR))
    while (try? receive(until: deadline)) != nil { received = [] }
  }

  private mutating func receive(until deadline: ContinuousClock.Instant) throws(End) {
    try wait(for: POLLIN, until: deadline)
    var count = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
      count = read(descriptor, buffer.baseAddress, buffer.count)
      initialized = max(0, count)
    }
    guard count != 0 else { throw .ended }
    guard count > 0 else { throw .closed }
    received += chunk
  }

  private func wait(for event: Int32, until deadline: ContinuousClock.Instant) throws(End) {
    while true {
      var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let rest = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      let ready = poll(&request, 1, Int32(clamping: Int64(max(0, rest).rounded(.up))))
      if ready > 0 { return }
      guard ready < 0, errno == EINTR else { throw .late }
    }
  }
}

/// Sends without waiting and without a signal, where the client has closed.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  send(descriptor, bytes, count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
}
