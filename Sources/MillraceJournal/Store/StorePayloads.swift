import Millrace
import MillraceEntries

/// The payload of an entry of a store: a head that belongs to the kind of the entry, and its mutations.
///
/// The mutations stand in a field of their own for every kind, so that those of an older schema are decoded in one place.
struct EntryPayload<Head: Codable, Mutation: Codable>: Codable {
  /// Keys of no generic type; the types of generic ones would be looked up again for each entry.
  typealias CodingKeys = EntryPayloadKeys

  let head: Head
  let mutations: [Mutation]
}

enum EntryPayloadKeys: CodingKey {
  case head, mutations
}

/// Encodes payloads by a store's coder.
struct PayloadEncoder: Sendable {
  private let coder: any JournalCoder
  private let isJSON: Bool

  init(_ coder: any JournalCoder) {
    self.coder = coder
    isJSON = coder is JSONJournalCoder
  }

  /// Encodes a payload; called with the store's lock.
  ///
  /// - Throws: the error of the coder.
  func encode<Head: PayloadHead, Mutation: Codable>(
    _ head: Head, _ mutations: DecidedMutations<Mutation>
  ) throws -> [UInt8] {
    // A value that encodes nothing is no JSON by itself, and an empty object inside another value.
    if isJSON, let bytes = try? json(head, mutations) { return bytes }
    return Array(try coder.encode(EntryPayload(head: head, mutations: mutations.all)))
  }

  /// The bytes that the JSON coder writes for a payload, without its three containers around the mutations, which take
  /// it as long as a small mutation: without this, `service/durable-1000` took 6 % more time and 13 more allocations for each action.
  ///
  /// - Throws: the error of a part; the coder is then given the whole payload, so that the path of its error is that of a payload.
  private func json<Head: PayloadHead, Mutation: Codable>(
    _ head: Head, _ mutations: DecidedMutations<Mutation>
  ) throws -> [UInt8] {
    var bytes = Array(#"{"head":"#.utf8)
    if head.isEmpty { bytes += "{}".utf8 } else { bytes += try coder.encode(head) }
    bytes += #","mutations":["#.utf8
    switch mutations {
    case .none: break
    case .one(let mutation): bytes += try coder.encode(mutation)
    case .many(let several):
      for (index, mutation) in several.enumerated() {
        if index > 0 { bytes += ",".utf8 }
        bytes += try coder.encode(mutation)
      }
    }
    bytes += "]}".utf8
    return bytes
  }
}

/// The part of a payload that belongs to the kind of the entry.
protocol PayloadHead: Codable {
  /// Whether it has no value, so that it is encoded as an object without properties.
  var isEmpty: Bool { get }
}

extension PayloadHead {
  var isEmpty: Bool { false }
}

/// The head of an entry of the kind ``JournalEntry/Kind/decided``.
struct DecidedHead: PayloadHead {
  /// The results that idempotency keys remember; nil without a key.
  let results: [RememberedResult]?

  var isEmpty: Bool { results == nil }
}

/// The head of an entry of the kind ``JournalEntry/Kind/takeUp``.
struct TakeUpHead<Action: Codable & Sendable>: PayloadHead, Sendable {
  let action: Action
  /// The idempotency key that the sender gave, or that the store has made.
  let key: String
  /// Whether the sender of the action gave the key.
  let isSendersKey: Bool
  /// The form of the keys for gateways; nil for the one without names of logs, which the records of an earlier version have.
  let keyForm: KeyForm?
  /// Whether the action is handled again after a crash.
  let handlesAgain: Bool
  /// The number of times it is handled again in a row without progress; nil in the records of an earlier version.
  let limit: Int?
  /// The wall time of the take-up in milliseconds since 1970; nil in the records of an earlier version.
  let time: Int64?

  init(action: Action, key: RunKey, recovery: Recovery, time: Int64) {
    self.init(
      action: action, key: key.text, isSendersKey: key.isSenders, keyForm: key.log == nil ? nil : .withNames,
      handlesAgain: recovery.limit != nil, limit: recovery.limit, time: time)
  }

  private init(
    action: Action, key: String, isSendersKey: Bool, keyForm: KeyForm?, handlesAgain: Bool, limit: Int?, time: Int64?
  ) {
    self.action = action
    self.key = key
    self.isSendersKey = isSendersKey
    self.keyForm = keyForm
    self.handlesAgain = handlesAgain
    self.limit = limit
    self.time = time
  }

  /// The number of times the action is handled again in a row without progress; 0 if it is abandoned.
  var recoveryLimit: Int { handlesAgain ? max(limit ?? Recovery.handleAgain.limit ?? 0, 0) : 0 }

  /// The time since the take-up, or since another wall time; zero if there is none, or it is later.
  func age(at now: Int64) -> Duration { age(at: now, since: time) }

  func age(at now: Int64, since time: Int64?) -> Duration {
    let age = now.subtractingReportingOverflow(time ?? now)
    return .milliseconds(age.overflow ? 0 : max(age.partialValue, 0))
  }

  /// The head with another action.
  func with<Other: Codable & Sendable>(_ other: Other) -> TakeUpHead<Other> {
    TakeUpHead<Other>(
      action: other, key: key, isSendersKey: isSendersKey, keyForm: keyForm, handlesAgain: handlesAgain, limit: limit,
      time: time)
  }

  /// The key of the run, of a log.
  func runKey(of log: JournalKey) -> RunKey {
    RunKey(key, isSenders: isSendersKey, log: keyForm.map { _ in log.names })
  }
}

/// The forms of the keys that gateways get from a run, which keeps its form for its life.
///
/// A form that this version does not know cannot be decoded, so that no gateway gets a second key for a request.
enum KeyForm: Int, Codable, Sendable {
  /// The keys begin with the names of the log.
  case withNames = 2
}

/// The place of an action that is not decoded.
struct EncodedAction: Codable, Sendable {
  init() {}

  init(from decoder: any Decoder) throws {}

  func encode(to encoder: any Encoder) throws {}
}

/// The head of a take-up, without its action and its mutations.
struct TakenUpHead: Codable {
  let head: TakeUpHead<EncodedAction>
}

/// The action of a take-up, without the rest of the entry.
struct TakenUpAction<Action: Codable & Sendable>: Codable {
  struct Head: Codable { let action: Action }

  let head: Head
}

/// The head of an entry of the kind ``JournalEntry/Kind/resumed``.
struct ResumedHead: PayloadHead {
  /// The sequence of the take-up.
  let run: UInt64
  /// The number of deaths in a row without progress, if the process ends now.
  let count: Int
}

/// The head of an entry of the kind ``JournalEntry/Kind/joined``.
struct JoinedHead: PayloadHead {
  /// The sequence of the take-up.
  let run: UInt64
  let key: String
  /// Whether the action has left the run.
  let leaves: Bool
  /// The wall time in milliseconds since 1970.
  let time: Int64
}

/// The head of an entry of the kind ``JournalEntry/Kind/emit``.
struct EmitHead: PayloadHead {
  /// The sequence of the take-up.
  let run: UInt64
}

/// The head of an entry of the kind ``JournalEntry/Kind/end``.
struct EndHead: PayloadHead {
  /// The sequence of the take-up.
  let run: UInt64
  /// The name of the kind of the outcome.
  let outcome: String
  /// The results that idempotency keys remember; nil without a key.
  let results: [RememberedResult]?
}
