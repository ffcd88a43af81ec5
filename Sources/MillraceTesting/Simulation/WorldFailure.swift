/// What is wrong in one world.
struct WorldFailure: Sendable {
  /// In what way; a plan is shrunk as long as the same rule is broken in the same way.
  enum Kind: Hashable {
    case always, eventually, atTheEnd, expectation
    /// The body threw, or a fake or a test store in the world failed.
    case bodyThrew, failure
    /// An expectation of Swift Testing does not hold.
    case issue
    case sleepEscaped, threadEscaped, standsStill, doesNotEnd
  }

  let kind: Kind
  /// The rule that is broken, or the error; a sentence without its end.
  let rule: String
  /// Where it stands; nil where only the whole body does.
  let place: (file: StaticString, line: UInt)?

  init(_ kind: Kind, _ rule: String, file: StaticString, line: UInt) {
    self.kind = kind
    self.rule = rule
    place = (file, line)
  }

  init(_ kind: Kind, _ rule: String = "") {
    self.kind = kind
    self.rule = rule
    place = nil
  }

  func isLike(_ other: WorldFailure) -> Bool {
    guard kind == other.kind else { return false }
    switch kind {
    case .always, .eventually, .atTheEnd, .expectation: return rule == other.rule && place?.line == other.place?.line
    // The text of an error may tell of the very values that are shrunk.
    case .bodyThrew, .sleepEscaped, .threadEscaped, .standsStill, .doesNotEnd: return true
    case .failure: return place?.line == other.place?.line
    // It begins with its place; what follows may tell of values.
    case .issue: return rule.prefix { $0 != " " } == other.rule.prefix { $0 != " " }
    }
  }

  /// What is wrong, and how to mend it where that is known.
  var sentence: String {
    switch kind {
    case .always: "this does not hold always: \(rule)"
    case .eventually: "this never came to hold: \(rule)"
    case .atTheEnd: "this does not hold at the end: \(rule)"
    case .expectation: "this does not hold: \(rule)"
    case .bodyThrew: "the body threw \(rule)"
    case .failure, .issue: rule
    case .sleepEscaped:
      "\(rule) sleeps on a clock of the system (Task.sleep, ContinuousClock), which no seed decides; give what sleeps the world's clock"
    case .threadEscaped:
      """
      \(rule) was resumed by another thread (a thread, a dispatch queue, a socket, a file), which no seed decides; put a fake in \
      the place of what works there
      """
    case .standsStill:
      """
      the body has not returned, and nothing is left that could go on; resume what it waits for (a gate, a held call, a \
      continuation), or put a fake in the place of what works on another thread
      """
    case .doesNotEnd:
      "it does not come to an end within \(rule) steps; end what goes round in circles, or give more steps"
    }
  }
}
