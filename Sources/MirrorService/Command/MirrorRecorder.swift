import Foundation
import Millrace
import MillraceRecording

/// Records the service to a file, for `mirror recording`.
typealias MirrorRecorder = FileRecorder<Mirror.Action, Mirror.Mutation, Mirror.State>

extension Redaction<Mirror.Action, Mirror.Mutation, Mirror.State> {
  /// Leaves the contents of artifacts out; names, lengths and times stay, so that a replay leads to the same states.
  static let withoutContents = Redaction(
    action: { action in
      if case .repository(let repository, .put(let name, _)) = action {
        .repository(repository, .put(name, Data()))
      } else {
        action
      }
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
    state: { state in
      var state = state
      state.repositories = state.repositories.mapValues { repository in
        var repository = repository
        repository.artifacts = repository.artifacts.mapValues(\.redacted)
        return repository
      }
      return state
    },
    reply: { _, reply in (reply as? Artifact)?.redacted ?? reply })
}
