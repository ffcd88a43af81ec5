import Foundation
import Millrace

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Serves clients on a socket, each connection on a thread of its own, so that none of the pool's is blocked.
final class Server: Sendable {
  struct Bounds: Sendable {
    var connections = 256
    /// The longest that a connection stays open between two requests.
    var idle: Duration = .seconds(60)
    /// The longest that a client may take for a line, for a body and for an answer.
    var patience: Duration = .seconds(10)
    /// The most bytes that an artifact may have.
    var largest = 1 << 20
  }

  private struct Connections {
    var open: Set<Int32> = []
    /// The number of the open ones whose requests are read.
    var served = 0
    var isStopping = false
  }

  private let listener: Listener
  private let bounds: Bounds
  private let answer: @Sendable (Request, Data) async -> Answer
  private let connections = Lock(Connections())
  private let threads = DispatchGroup()

  /// Serves until ``stop()``.
  init(
    _ listener: Listener, bounds: Bounds = Bounds(), answer: @escaping @Sendable (Request, Data) async -> Answer
  ) {
    self.listener = listener
    self.bounds = bounds
    self.answer = answer
    detach { server in
      while let descriptor = server.listener.accept() { server.begin(descriptor) }
    }
  }

  deinit {
    // No earlier: a stop must not meet a socket of the same number.
    listener.close()
  }

  /// Accepts no more connections and reads no more requests; those that were read are answered.
  func stop() {
    connections.withLock { connections in
      connections.isStopping = true
      for descriptor in connections.open { shutdown(descriptor, Int32(SHUT_RD)) }
    }
    listener.stop()
  }

  /// Waits until every connection is closed, which after ``stop()`` takes as long as the answers do.
  func finished() async {
    await withCheckedContinuation { continuation in
      threads.notify(queue: .global()) { continuation.resume() }
    }
  }

  private func detach(_ body: @escaping @Sendable (Server) -> Void) {
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
      var connection = Connection(descriptor, patience: server.bounds.patience)
      if isServed {
        server.serve(&connection)
      } else {
        server.end(&connection, Answer(.busy, "The mirror takes no more connections; come again."))
      }
      server.connections.withLock { connections in
        connections.open.remove(descriptor)
        if isServed { connections.served -= 1 }
        close(descriptor)
      }
    }
  }

  private func serve(_ connection: inout Connection) {
    do throws(Connection.End) {
      while true { try connection.send(next(on: &connection).bytes) }
    } catch .closed {
    } catch {
      let reason = error == .late ? "was not complete within \(bounds.patience)" : "has too long a line"
      end(&connection, Answer(.invalid, "The request \(reason)."))
    }
  }

  /// Reads a request and waits for its answer.
  private func next(on connection: inout Connection) throws(Connection.End) -> Answer {
    let line = try connection.line(idle: bounds.idle)
    let request: Request
    do throws(Request.Invalid) {
      request = try Request(line, largest: bounds.largest)
    } catch {
      end(&connection, Answer(.invalid, error.sentence))
      throw .closed
    }
    let body = if case .put(_, _, let count) = request { try connection.bytes(count) } else { Data() }
    let result = Lock<Answer?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task { [answer] in
      let answer = await answer(request, body)
      result.withLock { $0 = answer }
      done.signal()
    }
    done.wait()
    return result.withLock { $0! }
  }

  /// Sends the last answer of a connection.
  private func end(_ connection: inout Connection, _ answer: Answer) {
    try? connection.send(answer.bytes)
    connection.finish()
  }
}
