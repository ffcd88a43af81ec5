/// The payload of an entry of the kind ``JournalEntry/Kind/decided``.
struct DecidedPayload<Mutation: Codable>: Codable {
  let mutations: [Mutation]
}

/// The payload of an entry of the kind ``JournalEntry/Kind/takeUp``.
struct TakeUpPayload<Action: Codable, Mutation: Codable>: Codable {
  let action: Action
  /// The idempotency key that the handler has.
  let key: String
  /// Whether the action is handled again after a crash.
  let handlesAgain: Bool
  let mutations: [Mutation]
}

/// The payload of an entry of the kind ``JournalEntry/Kind/emit``.
struct EmitPayload<Mutation: Codable>: Codable {
  /// The sequence of the take-up.
  let run: UInt64
  let mutations: [Mutation]
}

/// The payload of an entry of the kind ``JournalEntry/Kind/end``.
struct EndPayload<Mutation: Codable>: Codable {
  /// The sequence of the take-up.
  let run: UInt64
  /// The name of the kind of the outcome.
  let outcome: String
  let closing: Mutation?
}
