import Millrace
import MillraceEntries

/// The payload of a snapshot of a store: the state, and everything else that its log would tell.
struct SnapshotPayload<State: Codable & Sendable>: Codable, Sendable {
  let state: State
  /// The runs that have not ended, in the order of their take-ups.
  let runs: [StoredRun]
  /// The results of idempotency keys, the oldest first.
  let keys: [RememberedResult]
  /// The writer of the snapshot.
  let epoch: JournalEpoch

  /// The payload with another state.
  func map<Other: Codable & Sendable>(_ transform: (State) throws -> Other) rethrows -> SnapshotPayload<Other> {
    SnapshotPayload<Other>(state: try transform(state), runs: runs, keys: keys, epoch: epoch)
  }
}

/// An open run in a snapshot.
struct StoredRun: Codable, Sendable {
  /// The sequence of the take-up.
  let sequence: UInt64
  /// The payload of the take-up, and its version; nil in a snapshot of an earlier version of the library, which has ``EarlierRun`` here.
  let payload: StepBytes?
  let version: Int?
  let resumed: Int?
  let steps: [StepPayload]?
  let joinedKeys: [String]?
  /// The wall time of the last join.
  let joinTime: Int64?

  init(_ run: LoggedRun) {
    sequence = run.sequence
    payload = StepBytes(run.payload)
    version = run.schemaVersion
    resumed = run.resumed
    steps = run.steps
    joinedKeys = run.joined.keys.isEmpty ? nil : run.joined.texts
    joinTime = run.joined.time
  }
}

/// An open run in a snapshot of an earlier version of the library, with its action in the schema of the snapshot.
struct EarlierRun<Action: Codable & Sendable>: Codable {
  let sequence: UInt64
  let takeUp: TakeUpHead<Action>
  let resumed: Int?
  let steps: [StepPayload]?
}

/// The open runs of such a snapshot.
struct EarlierRuns<Action: Codable & Sendable>: Codable {
  let runs: [EarlierRun<Action>]
}

/// An action of such a run, which stops an opening only if its run is open.
enum StoredAction<Action: Codable & Sendable>: Codable, Sendable {
  case readable(Action)
  /// The reason, as the middle of a sentence.
  case unreadable(String)

  init(from decoder: any Decoder) throws {
    do {
      self = .readable(try decoder.singleValueContainer().decode(Action.self))
    } catch {
      self = .unreadable(DecodingReason.text(of: error))
    }
  }

  /// The action that is made of it; unreadable with the reason if that throws.
  func map<Other: Codable & Sendable>(_ transform: (Action) throws -> Other) -> StoredAction<Other> {
    switch self {
    case .readable(let action):
      do {
        return .readable(try transform(action))
      } catch {
        return .unreadable(DecodingReason.text(of: error))
      }
    case .unreadable(let reason): return .unreadable(reason)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .readable(let action): try container.encode(action)
    case .unreadable: try container.encodeNil()
    }
  }
}
