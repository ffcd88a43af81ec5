import Foundation
import Millrace
import MillraceSocket

/// Answers the requests of clients by a store.
struct MirrorService: Sendable {
  let store: Store<Mirror>
  /// The time since 1970, which stamps each request.
  let now: @Sendable () -> Duration

  /// Answers a request; `body` is the content of a `PUT`.
  func answer(_ request: Request, body: Data) async -> Answer {
    do {
      switch request {
      case .get(let repository, let name):
        // snippet.request
        let get = Mirror.Action.repository(repository, .get(name, at: now()))
        let artifact = try await store.request(get, returning: { $0.repositories[repository]?.artifacts[name] })
        guard let artifact else { return Answer(.busy, "\(name) has changed while it was fetched; ask again.") }
        return artifact.bytes.map { Answer(.ok, $0) } ?? Answer(.missing, "The upstream has no \(name).")
      // snippet.end
      case .put(let repository, let name, _):
        // A publisher waits for room; a reader is refused.
        // snippet.submit
        try await store.request(.repository(repository, .put(name, body)), waitingForRoom: true, returning: { _ in })
      // snippet.end
      case .add(let repository): try await store.request(.add(repository), returning: { _ in })
      case .remove(let repository): try await store.request(.remove(repository), returning: { _ in })
      case .status: return Answer(.ok, await store.state.status)
      case .metrics: return Answer(.ok, Data(await metrics.utf8))
      }
      return Answer(.ok)
    } catch let error as StoreError {
      return error.outcome.map { Answer($0) } ?? .stopping
    } catch {
      return .stopping
    }
  }

  private var metrics: String {
    get async {
      let (metrics, state) = await (store.metrics, store.state)
      return metrics.openMetrics(
        prefix: "mirror",
        adding: state.repositories.values.sorted { $0.name < $1.name }.map { repository in
          .gauge(
            "mirror_artifacts", Double(repository.artifacts.count), labels: ["repository": repository.name],
            help: "Copies of artifacts.")
        })
    }
  }
}

extension Answer {
  /// The answer to a request that comes too late.
  fileprivate static let stopping = Answer(.busy, "The mirror stops.")

  /// The answer to a request whose action ended with another outcome than `finished`.
  fileprivate init(_ outcome: Outcome) {
    // snippet.answer
    switch outcome {
    case .failed(let error): self.init(.failed, "Failed: \(error).")
    case .timedOut: self.init(.timeout, "The upstream did not answer in time.")
    // The removal of a repository cancels its requests.
    case .rejected(.missingChild), .cancelled: self.init(.unknown, "There is no such repository; ADD it first.")
    case .rejected(.decided(let error)): self.init(.busy, "Refused: \(error).")
    case .rejected(.full): self.init(.busy, "The mirror has as many requests as it takes; come again.")
    case .rejected(.breakerOpen): self.init(.busy, "The upstream fails again and again; come again later.")
    case .rejected(.shuttingDown), .shutDown: self = .stopping
    // snippet.end
    default: self.init(.busy, "Refused: \(outcome).")
    }
  }
}

extension Mirror.State {
  /// The repositories by name, each with what it has and does.
  var status: String {
    guard !repositories.isEmpty else { return "no repositories" }
    return repositories.values.sorted { $0.name < $1.name }.map(\.status).joined(separator: "; ")
  }
}

extension Repository.State {
  fileprivate var status: String {
    var words = "\(name): artifacts \(artifacts.present), bytes \(artifacts.bytes)"
    if !fetching.isEmpty { words += ", fetching \(fetching.sorted().joined(separator: " "))" }
    if !publishing.isEmpty { words += ", publishing \(publishing.sorted().joined(separator: " "))" }
    if let failure { words += ", last failure: \(failure)" }
    return words
  }
}
