import Foundation
import Millrace

/// The connections of a server, of which none may keep others out.
///
/// A client that is slow to send a request, or to take an answer, is disconnected after a time; and where there are too many connections, the
/// one is disconnected that has been slow longest. One that would take a descriptor of the reserve of the process is disconnected at once: the
/// system gives the lowest number that is free, so all numbers above stay free. A descriptor is shut down only while its connection is listed here, which is until the
/// server closes it.
final class OpenConnections: Sendable {
  /// The event that a connection waits for.
  enum Stage: Sendable {
    /// The client sends a request, or none.
    case waiting
    /// The service makes the answer, which has a limit of its own.
    case answering
    /// The client takes the answer.
    case sending
    /// The server closes the connection.
    case ended
  }

  private struct Connection {
    let descriptor: Int32
    var stage = Stage.waiting
    var since = ContinuousClock.now

    /// Whether the connection waits for its client.
    var isClients: Bool { stage == .waiting || stage == .sending }

    mutating func disconnect() {
      shutdown(descriptor, Int32(SHUT_RDWR))
      stage = .ended
    }
  }

  private struct State {
    var next: UInt = 1
    var connections: [UInt: Connection] = [:]
    var isWatched = false
  }

  private let state = Lock(State())
  private let limit: Int
  private let time: Duration
  private let fileLimit: @Sendable () -> Int?
  private let queue: DispatchQueue

  /// - Parameter fileLimit: returns the number of descriptors that the process may have open.
  init(
    limit: Int, time: Duration, fileLimit: @escaping @Sendable () -> Int? = { FileLimit.current },
    on queue: DispatchQueue
  ) {
    self.limit = limit
    self.time = time
    self.fileLimit = fileLimit
    self.queue = queue
  }

  /// Adds a connection, and returns its number.
  func add(_ descriptor: Int32) -> UInt {
    let isInReserve = fileLimit().map { Int(descriptor) >= $0 - FileLimit.reserve } ?? false
    let (number, begins) = state.withLock { state in
      let number = state.next
      state.next += 1
      if state.connections.count >= limit {
        let slow = state.connections.filter { $0.value.isClients }
        let oldest = slow.min { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
        if let oldest { state.connections[oldest.key]?.disconnect() }
      }
      state.connections[number] = Connection(descriptor: descriptor)
      if isInReserve { state.connections[number]?.disconnect() }
      defer { state.isWatched = true }
      return (number, !state.isWatched)
    }
    if begins { watch() }
    return number
  }

  func remove(_ number: UInt) { state.withLock { $0.connections[number] = nil } }

  /// Notes the event that a connection waits for now.
  func note(_ stage: Stage, _ number: UInt) {
    state.withLock { state in
      guard var connection = state.connections[number], connection.stage != .ended else { return }
      (connection.stage, connection.since) = (stage, .now)
      state.connections[number] = connection
    }
  }

  /// Disconnects slow clients, as long as there is a connection.
  private func watch() {
    let pause = max(min(time, .seconds(1)), .milliseconds(1))
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds))) { [weak self] in
      guard let self else { return }
      let continues = state.withLock { state in
        let now = ContinuousClock.now
        for (number, connection) in state.connections where connection.isClients && now - connection.since > time {
          state.connections[number]?.disconnect()
        }
        state.isWatched = !state.connections.isEmpty
        return state.isWatched
      }
      if continues { watch() }
    }
  }
}
