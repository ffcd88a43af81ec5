import Foundation

/// The loop of the responder's thread: waits for connections, requests and the time of delayed answers.
struct LoopbackLoop: Sendable {
  /// One connection and what has arrived on it.
  private struct Connection {
    var received: [UInt8] = []
    /// An answer that waits for its time.
    var delayed: (text: String, due: ContinuousClock.Instant)?
  }

  let listener: Int32
  let wake: Int32
  let script: @Sendable (LoopbackRequest) -> LoopbackResponder.Reply

  func run() {
    var connections: [Int32: Connection] = [:]
    while true {
      var requests = ([wake, listener] + connections.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&requests, nfds_t(requests.count), timeout(until: connections.values.compactMap { $0.delayed?.due }.min()))
      if requests[0].revents != 0 { break }
      if requests[1].revents != 0 { connections[accept(listener, nil, nil)] = Connection() }
      for request in requests.dropFirst(2) where request.revents != 0 {
        connections[request.fd] = connections[request.fd].flatMap { advance($0, on: request.fd) }
      }
      for (descriptor, connection) in connections {
        guard let (text, due) = connection.delayed, due <= .now else { continue }
        connections[descriptor]?.delayed = nil
        if !LoopbackSocket.send(text, to: descriptor) { connections[descriptor] = drop(descriptor) }
      }
    }
    ([wake, listener] + connections.keys).forEach { close($0) }
  }

  /// Takes what has arrived on a connection; nil when the connection has ended.
  private func advance(_ connection: Connection, on descriptor: Int32) -> Connection? {
    guard let bytes = LoopbackSocket.receive(descriptor) else { return drop(descriptor) }
    var connection = connection
    connection.received += bytes
    guard let request = LoopbackRequest(connection.received) else { return connection }
    connection.received = []
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
    }
  }

  private func drop(_ descriptor: Int32) -> Connection? {
    close(descriptor)
    return nil
  }

  /// The time until `due` in milliseconds, rounded up; -1 waits without an end.
  private func timeout(until due: ContinuousClock.Instant?) -> Int32 {
    guard let due else { return -1 }
    return Int32(clamping: Int64(max(0, (due - .now) / .milliseconds(1)).rounded(.up)))
  }
}
