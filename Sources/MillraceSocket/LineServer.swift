package import Foundation
import Millrace

/// Serves clients that write requests as lines, each connection on a thread of its own, so that none of the pool's is blocked.
///
/// A client gets its answers in the order of its requests. Lines, bodies, connections and the time that each of them may take are
/// bounded; a client that exceeds a bound gets a sentence where it can take it, and holds up no other client.
package final class LineServer<Request: LineRequest>: Sendable {
  package typealias Respond = @Sendable (_ request: Request, _ body: Data) async -> LineAnswer

  private struct Connections {
    var open: Set<Int32> = []
    /// The number of the open ones whose requests are read.
    var served = 0
    var isStopping = false
  }

  private let listener: Listener
  private let bounds: LineBounds
  private let respond: Respond
  private let connections = Lock(Connections())
  private let threads = DispatchGroup()

  /// Serves until ``stop()``.
  ///
  /// - Parameter respond: answers a request; called in a task of its own, for one request of a connection at a time.
  package init(_ listener: Listener, bounds: LineBounds = LineBounds(), respond: @escaping Respond) {
    self.listener = listener
    self.bounds = bounds
    self.respond = respond
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
      connections.isStopping = true
      for descriptor in connections.open { shutdown(descriptor, Int32(SHUT_RD)) }
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

  /// Serves a connection, or refuses it; beyond as many refused ones as are served, it is closed.
  private func begin(_ descriptor: Int32) {
    let isServed: Bool? = connections.withLock { connections in
      guard !connections.isStopping, connections.open.count < 2 * bounds.connections else { return nil }
      connections.open.insert(descriptor)
      guard connections.served < bounds.connections else { return false }
      connections.served += 1
      return true
    }
    guard let isServed else {
      close(descriptor)
      return
    }
    detach { server in
      var connection = LineConnection(descriptor, patience: server.bounds.patience)
      if isServed {
        server.serve(&connection)
      } else {
        server.end(&connection, LineAnswer(.busy, "The server takes no more connections; come again."))
      }
      server.connections.withLock { connections in
        connections.open.remove(descriptor)
        if isServed { connections.served -= 1 }
        close(descriptor)
      }
    }
  }

  private func serve(_ connection: inout LineConnection) {
    do throws(LineConnection.End) {
      while true { try connection.send(next(on: &connection).bytes) }
    } catch .closed {
    } catch {
      let reason = error == .late ? "was not complete within \(bounds.patience)" : "has too long a line"
      end(&connection, LineAnswer(.invalid, "The request \(reason)."))
    }
  }

  /// Reads a request and waits for its answer.
  private func next(on connection: inout LineConnection) throws(LineConnection.End) -> LineAnswer {
    let line = try connection.line(idle: bounds.idle)
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
}
