import Foundation
import Millrace
import MillraceFlags
import MillraceHTTP

/// An upstream that is asked by HTTP: a GET fetches, a POST publishes.
struct HTTPUpstream: Upstream {
  private let server: TransferServer
  private let keep: Duration
  private let now: @Sendable () -> Duration

  /// Looks up the host of the upstream, which may block.
  ///
  /// - Throws: `FlagError`, where the host is not known.
  init(_ options: Options, now: @escaping @Sendable () -> Duration) throws(FlagError) {
    do throws(TransferFailure) {
      server = try TransferServer(
        options.upstream, agent: "mirror", issuers: options.issuers, connections: options.store.runsInFlight,
        limit: options.limits.attemptTimeout, bodyLimit: options.limits.artifact)
    } catch {
      let host = FlagError.quoted(options.upstream.bareHost)
      throw FlagError("--upstream has the host \(host), which is not known; name another one.")
    }
    keep = options.keep
    self.now = now
  }

  func fetch(_ path: String) async throws -> Artifact {
    let answer = try await answer(to: path, orStatus: [404, 410])
    return Artifact(answer.isSuccess ? answer.body : nil, until: now() + keep)
  }

  func publish(_ bytes: Data, as path: String, idempotencyKey: String) async throws -> Artifact {
    let fields = ["Idempotency-Key: \(idempotencyKey)", "Content-Type: application/octet-stream"]
    _ = try await answer(to: path, fields: fields, body: bytes)
    return Artifact(bytes, until: now() + keep)
  }

  private func answer(
    to path: String, fields: [String] = [], body: Data? = nil, orStatus accepted: [Int] = []
  ) async throws -> TransferLoop.Answer {
    do {
      let answer = try await server.answer(to: path, fields: fields, body: body)
      guard answer.isSuccess || accepted.contains(answer.status) else {
        throw UpstreamFailure(
          description: "the upstream answered with the status \(answer.status)", isLasting: !answer.mayPass,
          status: answer.status)
      }
      return answer
    } catch let failure as TransferFailure {
      throw UpstreamFailure(description: failure.description, isLasting: failure.isLasting)
    }
  }
}
