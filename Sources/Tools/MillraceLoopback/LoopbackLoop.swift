import Foundation
import MillraceLoopbackSystem
import Synchronization

/// The loop of the responder's thread: waits for connections, requests and the time of delayed answers.
struct LoopbackLoop: Sendable {
  /// One connection and what has arrived on it.
  private struct Connection {
    var received: [UInt8] = []
    /// An answer that waits for its time.
    var delayed: (text: String, due: ContinuousClock.Instant)?
    /// The bytes to send as soon as the client takes them.
    var outgoing: ArraySlice<UInt8> = []
    /// Whether each byte of that has a call of its own.
    var isOneByOne = false
    /// The next step when all of that is sent.
    var ending = LoopbackResponder.Ending.stay

    /// The event that the loop waits for.
    var events: Int16 { Int16(outgoing.isEmpty ? POLLIN : POLLIN | POLLOUT) }
  }

  let listener: Int32
  let wake: Int32
  let accepted: AcceptedConnections
  let script: @Sendable (LoopbackRequest) -> LoopbackResponder.Reply

  func run() {
    var connections: [Int32: Connection] = [:]
    while true {
      var requests = [wake, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      requests += connections.map { pollfd(fd: $0, events: $1.events, revents: 0) }
      _ = millrace_poll(&requests, nfds_t(requests.count), timeout(until: connections))
      if requests[0].revents != 0 { break }
      if requests[1].revents != 0 { accept(into: &connections) }
      for request in requests.dropFirst(2) where request.revents != 0 {
        connections[request.fd] = connections[request.fd].flatMap { advance($0, on: request) }
      }
      let now = ContinuousClock.now
      // Only those that are due are written, for a write during a loop over all would copy the dictionary.
      let due = connections.filter { $0.value.delayed.map { $0.due <= now } ?? false }
      for (descriptor, var connection) in due {
        connection.outgoing = Array(connection.delayed?.text.utf8 ?? "".utf8)[...]
        connection.delayed = nil
        connections[descriptor] = flush(connection, on: descriptor)
      }
    }
    ([wake, listener] + connections.keys).forEach { close($0) }
  }

  private func accept(into connections: inout [Int32: Connection]) {
    let descriptor = systemAccept(listener)
    guard descriptor >= 0 else { return }
    accepted.count.add(1, ordering: .relaxed)
    LoopbackSocket.setNonblocking(descriptor)
    connections[descriptor] = Connection()
  }

  /// Sends what can be sent and takes what has arrived on a connection; nil when the connection has ended.
  private func advance(_ connection: Connection, on request: pollfd) -> Connection? {
    var connection = connection
    if !connection.outgoing.isEmpty, request.revents & Int16(POLLOUT) != 0 {
      guard let rest = flush(connection, on: request.fd) else { return nil }
      connection = rest
    }
    guard request.revents & ~Int16(POLLOUT) != 0 else { return connection }
    guard let bytes = LoopbackSocket.receive(request.fd) else { return drop(request.fd) }
    connection.received += bytes
    guard let arrived = LoopbackRequest(connection.received) else { return connection }
    connection.received = []
    return answer(arrived, on: request.fd, connection)
  }

  /// Begins what the script says.
  private func answer(_ request: LoopbackRequest, on descriptor: Int32, _ connection: Connection) -> Connection? {
    var connection = connection
    switch script(request) {
    case .answer(let status, let body, let delay):
      let head = "HTTP/1.1 \(status) Scripted\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      // Sent by the loop when its time has come, which without a delay is now.
      connection.delayed = (head + body, .now + delay)
      return connection
    case .reset:
      LoopbackSocket.reset(descriptor)
      return nil
    case .hang:
      return connection
    case .raw(let bytes, let isOneByOne, let ending):
      connection.outgoing = bytes[...]
      connection.isOneByOne = isOneByOne
      connection.ending = ending
      return flush(connection, on: descriptor)
    }
  }

  /// Sends what can be sent now; nil when the connection has ended.
  private func flush(_ connection: Connection, on descriptor: Int32) -> Connection? {
    var connection = connection
    while !connection.outgoing.isEmpty {
      let piece = connection.isOneByOne ? connection.outgoing.prefix(1) : connection.outgoing
      guard let sent = LoopbackSocket.send(piece, to: descriptor) else { return drop(descriptor) }
      guard sent > 0 else { return connection }
      connection.outgoing = connection.outgoing.dropFirst(sent)
    }
    switch connection.ending {
    case .close: return drop(descriptor)
    case .stay: return connection
    case .repeating(let bytes):
      // Sent when the loop comes round again, so that other connections have their turn.
      connection.outgoing = bytes[...]
      return connection
    }
  }

  private func drop(_ descriptor: Int32) -> Connection? {
    close(descriptor)
    return nil
  }

  /// The time until the first delayed answer is due in nanoseconds; -1 waits without an end.
  private func timeout(until connections: [Int32: Connection]) -> Int64 {
    var first: ContinuousClock.Instant?
    for (_, connection) in connections {
      guard let due = connection.delayed?.due else { continue }
      first = min(first ?? due, due)
    }
    guard let first else { return -1 }
    let (seconds, attoseconds) = max(ContinuousClock.now.duration(to: first), .zero).components
    return min(seconds, 1_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}

/// accept(2), whose name is that of a method above.
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
