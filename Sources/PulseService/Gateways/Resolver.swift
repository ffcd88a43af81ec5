import Foundation
import Millrace
import MillraceHTTP

/// Looks up names on threads of its own, which are abandoned when no caller waits for them any more.
///
/// The system's look-up blocks its thread for as long as a name server is silent, and cannot be ended. So it holds up
/// neither the tasks nor the transfers of other hosts, and a caller that was cancelled does not wait for it.
final class Resolver: Sendable {
  /// Gives the addresses of a host as texts, in the order they should be tried; may block.
  typealias LookUp = @Sendable (_ host: String) throws(GatewayFailure) -> [String]

  private typealias Waiter = CheckedContinuation<[String], any Error>

  private struct State {
    var lookups: Lookups<Waiter>
    var lastID = 0
  }

  private let state: Lock<State>
  private let lookUp: LookUp

  /// - Parameters:
  ///   - threads: the most names that are looked up at the same time; further ones wait for their turn.
  ///   - lookUp: asks the system, or a script of a test.
  init(
    threads: Int = 256,
    lookUp: @escaping LookUp = { host throws(GatewayFailure) in
      try GatewayFailure.rethrowing { () throws(TransferFailure) in try SocketAddress.resolve(host: host) }
    }
  ) {
    state = Lock(State(lookups: Lookups(limit: threads)))
    self.lookUp = lookUp
  }

  /// Makes another resolver that asks the same, on threads of its own.
  func limited(to threads: Int) -> Resolver { Resolver(threads: threads, lookUp: lookUp) }

  /// Gives the addresses of a host, in the order they should be tried; an address is its own.
  ///
  /// - Throws: ``GatewayFailure``, when the host has no address; `CancellationError`, soon after the task was cancelled.
  func addresses(of host: String) async throws -> [String] {
    guard !SocketAddress.isNumeric(host) else { return [host] }
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let addresses = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let isStarting = state.withLock { $0.lookups.join(host, id: id, waiter) }
        if isStarting { start(host) }
        // The handler has run before there was anything to leave.
        if Task.isCancelled { leave(host, id: id) }
      }
    } onCancel: {
      leave(host, id: id)
    }
    guard !addresses.isEmpty else { throw GatewayFailure("host not found") }
    return addresses
  }

  private func leave(_ host: String, id: Int) {
    state.withLock { $0.lookups.leave(host, id: id) }?.resume(throwing: CancellationError())
  }

  /// Looks up a name, and then those that have waited for the thread.
  private func start(_ host: String) {
    Thread.detachNewThread { [self] in
      var next: String? = host
      while let host = next {
        let result: Result<[String], any Error>
        do throws(GatewayFailure) {
          result = .success(try lookUp(host))
        } catch {
          result = .failure(error)
        }
        let ended = state.withLock { $0.lookups.finish(host) }
        for waiter in ended.waiters { waiter.resume(with: result) }
        next = ended.next
      }
    }
  }
}
