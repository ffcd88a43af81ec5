import Foundation
import Millrace
import MillraceRecording

/// Records the service to a file, for `mirror recording`.
typealias MirrorRecorder = FileRecorder<Mirror>

extension Redaction<Mirror> {
  /// Leaves the contents of artifacts out; names, lengths and times stay, so that a replay leads to the same states.
  static let withoutContents = Redaction(
    action: { action in
      guard case .repository(let repository, .put(let name, _)) = action else { return action }
      return .repository(repository, .put(name, Data()))
    },
    mutation: { mutation in
      switch mutation {
      case .repository(let repository, .fetched(let name, let artifact)):
        .repository(repository, .fetched(name, artifact.redacted))
      case .repository(let repository, .published(let name, let artifact)):
        .repository(repository, .published(name, artifact.redacted))
      default: mutation
      }
    },
    state: { Mirror.State(repositories: $0.repositories.mapValues(\.redacted)) },
    reply: { _, reply in (reply as? Artifact)?.redacted ?? reply })
}

extension Repository.State {
  /// The state with copies that have no contents.
  fileprivate var redacted: Repository.State {
    var state = self
    state.artifacts = artifacts.redacted
    return state
  }
}
