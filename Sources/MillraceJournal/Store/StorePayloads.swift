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

/// The head of an entry of the kind ``JournalEntry/Kind/decided``.
struct DecidedHead: Codable {
  /// The results that idempotency keys remember; nil without a key.
  let results: [RememberedResult]?
}

/// The head of an entry of the kind ``JournalEntry/Kind/takeUp``.
struct TakeUpHead<Action: Codable & Sendable>: Codable, Sendable {
  let action: Action
  /// The idempotency key that the handler has.
  let key: String
  /// Whether the sender of the action gave the key.
  let isSendersKey: Bool
  /// Whether the action is handled again after a crash.
  let handlesAgain: Bool
}

/// The head of an entry of the kind ``JournalEntry/Kind/emit``.
struct EmitHead: Codable {
  /// The sequence of the take-up.
  let run: UInt64
}

/// The head of an entry of the kind ``JournalEntry/Kind/end``.
struct EndHead: Codable {
  /// The sequence of the take-up.
  let run: UInt64
  /// The name of the kind of the outcome.
  let outcome: String
  /// The results that idempotency keys remember; nil without a key.
  let results: [RememberedResult]?
}

/// An action that was taken up and has not ended.
struct OpenRun<Action: Codable & Sendable>: Codable, Sendable {
  /// The sequence of the take-up.
  let sequence: UInt64
  let takeUp: TakeUpHead<Action>
}
