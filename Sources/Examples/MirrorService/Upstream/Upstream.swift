import Foundation
import Millrace
import MillraceRecording

/// The server whose artifacts are mirrored.
protocol Upstream: Sendable {
  /// Returns what the server has at a path, stamped with the time until which that may be kept.
  ///
  /// - Throws: ``UpstreamFailure``; `CancellationError`.
  func fetch(_ path: String) async throws -> Artifact

  /// Sends an artifact to the server; calls with equal keys are one publication.
  ///
  /// - Returns: the artifact with the time until which a copy may be kept.
  /// - Throws: ``UpstreamFailure``; `CancellationError`.
  func publish(_ bytes: Data, as path: String, idempotencyKey: String) async throws -> Artifact
}

/// A copy of what the upstream has under a name.
struct Artifact: Codable, Sendable, Equatable {
  /// The content; nil if the upstream has no such artifact.
  var bytes: Data?
  /// The length of the content in bytes; a recording has it in place of the content.
  let count: UInt32
  /// The time since 1970 from which the copy is not valid any more.
  let until: Duration

  init(_ bytes: Data?, until: Duration) {
    self.bytes = bytes
    count = UInt32(clamping: bytes?.count ?? 0)
    self.until = until
  }

  /// The memory that the copy takes, about; a name without an artifact takes some too.
  var cost: Int { Int(count) + 1_024 }

  /// The copy without its content.
  var redacted: Artifact {
    var artifact = self
    artifact.bytes = bytes.map { _ in Data() }
    return artifact
  }
}

/// The reason why the upstream did not do what it was asked for.
struct UpstreamFailure: Error, Codable, Equatable, CustomStringConvertible {
  let description: String
  /// Whether the same request would fail again a moment later.
  var isLasting = false
  /// The status of the upstream's answer; nil without one.
  var status: Int?

  /// Whether other requests are likely to fail too; an answer of 401, 403 or the like refuses one artifact.
  var isOfUpstream: Bool {
    guard isLasting, let status else { return true }
    return !(400..<500).contains(status)
  }
}

/// An upstream whose calls are recorded, or answered from a recording.
struct TapedUpstream: Upstream {
  let upstream: any Upstream
  let tape: GatewayTape

  func fetch(_ path: String) async throws -> Artifact {
    try await tape.call("fetch", path, failure: UpstreamFailure.self) { try await upstream.fetch(path) }
  }

  func publish(_ bytes: Data, as path: String, idempotencyKey: String) async throws -> Artifact {
    try await tape.call("publish", path, failure: UpstreamFailure.self) {
      try await upstream.publish(bytes, as: path, idempotencyKey: idempotencyKey)
    }
  }
}
