import Foundation
import Millrace
import MillraceFlags

/// Looks up names on threads of its own, which are abandoned when no caller waits for them any more.
///
/// The system's look-up blocks its thread for as long as a name server is silent, and cannot be ended. So it holds up
/// neither the tasks nor the transfers of other hosts, and a caller that was cancelled does not wait for it.
package final class Resolver: Sendable {
  /// Returns the addresses of a host as texts, in the order they should be tried; may block.
  package typealias LookUp = @Sendable (_ host: String) throws(TransferFailure) -> [String]

  private typealias Waiter = CheckedContinuation<[String], any Error>

  private struct State {
    var lookups: Lookups<Waiter>
    var lastID = 0
  }

  private let state: Lock<State>
  /// Asks for the addresses of a host on the caller's thread, which may block for a minute.
  package let lookUp: LookUp
  private let threads: Int

  /// - Parameters:
  ///   - threads: the most names that are looked up at the same time; further ones wait for their turn. By default 256, or fewer where the
  ///     process may open few files.
  ///   - lookUp: asks the system, or a script of a test.
  package init(
    threads: Int = min(256, OpenFiles.current.lookUps / 2),
    lookUp: @escaping LookUp = { host throws(TransferFailure) in try SocketAddress.resolve(host: host) }
  ) {
    state = Lock(State(lookups: Lookups(limit: threads)))
    self.threads = threads
    self.lookUp = lookUp
  }

  /// Creates another resolver that asks the same, on threads of its own: a sixteenth of the number that this one has, at least one.
  package func smaller() -> Resolver { Resolver(threads: max(1, threads / 16), lookUp: lookUp) }

  /// Returns the addresses of a host, in the order they should be tried; an address is its own.
  ///
  /// - Throws: ``TransferFailure``, when the host has no address; `CancellationError`, soon after the task was cancelled.
  package func addresses(of host: String) async throws -> [String] {
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
    guard !addresses.isEmpty else { throw TransferFailure.unknownHost }
    return addresses
  }

  /// Returns the addresses of a host as ``addresses(of:)`` does, but waits no longer than the limit, if there is one.
  package func addresses(of host: String, within limit: Duration?) async throws -> [String] {
    guard let limit else { return try await addresses(of: host) }
    return try await withThrowingTaskGroup { group in
      group.addTask { try await self.addresses(of: host) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw TransferFailure.silentNameServer
      }
      defer { group.cancelAll() }
      return try await group.next() ?? []
    }
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
        do throws(TransferFailure) {
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
