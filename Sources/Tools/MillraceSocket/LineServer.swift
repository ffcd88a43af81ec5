package import Foundation
import Millrace

/// Serves clients that write requests as lines, each connection on a thread of its own, so that none of the pool's is blocked.
///
/// A client gets its answers in the order of its requests. Lines, bodies, connections and the time that each of them may take are
/// bounded; a client that exceeds a bound gets a sentence where it can take it, and holds up no other client. Where there is no room for
/// a new client, the client that has been idle the longest makes room.
package final class LineServer<Request: LineRequest>: Sendable {
  package typealias Respond = @Sendable (_ request: Request, _ body: Data) async -> LineAnswer

  private let listener: Listener
  private let bounds: LineBounds
  private let respond: Respond
  private let connections: Lock<OpenConnections>
  private let threads = DispatchGroup()
  /// Counts the evicted connections that are closed.
  private let evictions = DispatchSemaphore(value: 0)

  /// Serves until ``stop()``.
  ///
  /// - Parameter respond: answers a request; called in a task of its own, for one request of a connection at a time.
  package init(_ listener: Listener, bounds: LineBounds = LineBounds(), respond: @escaping Respond) {
    self.listener = listener
    self.bounds = bounds
    self.respond = respond
    connections = Lock(OpenConnections(limit: bounds.connections))
    detach { server in
      while let descriptor = server.listener.accept() { server.begin(descriptor) }
    }
  }

  deinit {
    // No earlier: a stop must not meet a socket of the same number.
    listener.close()
  }

  /// Accepts no more connections and reads no more requests; those that were read are answered.
  package func stop() {
    connections.withLock { connections in
      for descriptor in connections.stop() { shutdown(descriptor, Int32(SHUT_RD)) }
    }
    listener.stop()
  }

  /// Waits until every connection is closed, which after ``stop()`` takes as long as the answers do.
  package func finished() async {
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
  }

  private func detach(_ body: @escaping @Sendable (LineServer) -> Void) {
    threads.enter()
    Thread.detachNewThread { [self] in
      body(self)
      threads.leave()
    }
  }

  /// Serves a connection, refuses it, or closes it.
  private func begin(_ descriptor: Int32) {
    var admission = admit(descriptor)
    while admission == .wait {
      evictions.wait()
      admission = admit(descriptor)
    }
    guard admission != .close else {
      close(descriptor)
      return
    }
    detach { [admission] server in
      var connection = LineConnection(descriptor, patience: server.bounds.patience)
      if admission == .refuse {
        server.end(&connection, LineAnswer(.busy, "The server takes no more connections; come again."))
      } else {
        server.serve(&connection)
      }
      let wasEvicted = server.connections.withLock { connections in
        close(descriptor)
        return connections.remove(descriptor)
      }
      if wasEvicted { server.evictions.signal() }
    }
  }

  private func admit(_ descriptor: Int32) -> OpenConnections.Admission {
    connections.withLock { connections in
      guard descriptor < bounds.descriptors else { return .close }
      let admission = connections.add(descriptor, hasInput: Self.hasInput)
      // Ends the wait of its thread, which tells the client. With the lock, so that no other socket has the number.
      if case .serve(let evicted?) = admission { shutdown(evicted, Int32(SHUT_RD)) }
      return admission
    }
  }

  private func serve(_ connection: inout LineConnection) {
    let descriptor = connection.descriptor
    do throws(LineConnection.End) {
      while true {
        let line = try connection.line(idle: bounds.idle)
        guard connections.withLock({ $0.begin(descriptor) }) else { throw .closed }
        let answer = try answer(to: line, on: &connection)
        // Before the client has its answer: whatever it causes then finds the connection idle.
        if !connection.hasInput { connections.withLock { $0.rest(descriptor) } }
        try connection.send(answer.bytes)
      }
    } catch {
      let (isEvicted, isStopping) = connections.withLock { ($0.isEvicted(descriptor), $0.isStopping) }
      let last = isEvicted ? Self.evicted : farewell(after: error, isStopping: isStopping)
      if let last { end(&connection, last) }
    }
  }

  private static var evicted: LineAnswer {
    LineAnswer(.busy, "The server closes the connection that was idle the longest, for another client; connect again.")
  }

  /// The last answer of a connection from which nothing more is read, if its client is owed one.
  private func farewell(after end: LineConnection.End, isStopping: Bool) -> LineAnswer? {
    switch end {
    case .closed: nil
    // A part of a line is never carried out: the whole of it may mean something else.
    case .ended where isStopping: nil
    case .ended:
      LineAnswer(.invalid, "The request was not complete when the client closed; a line ends in a line break.")
    case .late: LineAnswer(.invalid, "The request was not complete within \(bounds.patience).")
    case .tooLong: LineAnswer(.invalid, "The request has too long a line.")
    }
  }

  /// Reads the rest of a request, and waits for its answer.
  private func answer(to line: String, on connection: inout LineConnection) throws(LineConnection.End) -> LineAnswer {
    let request: Request
    do throws(InvalidRequest) {
      request = try Request(line, largest: bounds.largest)
    } catch {
      end(&connection, LineAnswer(.invalid, error.sentence))
      throw .closed
    }
    let body = try connection.bytes(request.length)
    let result = Lock<LineAnswer?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task { [respond] in
      let answer = await respond(request, body)
      result.withLock { $0 = answer }
      done.signal()
    }
    done.wait()
    return result.withLock { $0! }
  }

  /// Sends the last answer of a connection.
  private func end(_ connection: inout LineConnection, _ answer: LineAnswer) {
    try? connection.send(answer.bytes)
    connection.finish()
  }

  /// Whether a client has sent bytes that were not read yet.
  private static func hasInput(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
  }
}
