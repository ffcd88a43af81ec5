/// A script: the answer of a fake to some calls.
@usableFromInline
struct FakeScript<Request: Sendable, Answer: Sendable>: Sendable {
  /// The predicate that chooses the calls; nil chooses all.
  @usableFromInline let matches: (@Sendable (Request) -> Bool)?
  @usableFromInline let answer: Answer
  /// The number of calls that it answers; nil is any number.
  let times: Int?
  /// The number of calls that it has answered.
  @usableFromInline var used = 0
  @usableFromInline let location: TestLine

  init(
    _ answer: Answer, times: Int?, matches: (@Sendable (Request) -> Bool)? = nil, location: TestLine
  ) {
    self.answer = answer
    self.times = times
    self.matches = matches
    self.location = location
  }

  /// Whether it is not for one more call.
  @usableFromInline var isUsedUp: Bool { times.map { used >= $0 } ?? false }
}

/// The scripts of one fake, as a value without tasks and locks.
///
/// A call takes the first of these that is for it: what was scripted for calls that match, first written first; what was
/// recorded for such a request; what always answers those that match, last written first; what is next in order; what
/// always answers.
@usableFromInline
struct FakeScripts<Request: Sendable, Answer: Sendable>: Sendable {
  @usableFromInline typealias Script = FakeScript<Request, Answer>

  /// The scripts for matching calls, without used ones.
  private var matching: [Script] = []
  /// The recorded scripts, one list for each recording.
  private var keyed: [KeyedScripts<Request, Answer>] = []
  /// The scripts that always answer matching calls, in the order in which they were written.
  private var standing: [Script] = []
  /// Whether one of these kinds has to be looked at.
  @usableFromInline private(set) var hasMatches = false
  /// The scripts that are used in order, of which the first `head` are used.
  @usableFromInline var queue: [Script] = []
  @usableFromInline var head = 0
  /// The script that answers if no other does.
  @usableFromInline private(set) var always: Script?

  init() {}

  /// The number of unused scripts that have to be used.
  var leftCount: Int { matching.count + keyed.reduce(0) { $0 + $1.count } + queue.count - head }

  /// Adds a script behind those of its kind, or in place of what always answered.
  mutating func add(_ script: Script) {
    if script.isUsedUp { return }
    switch (script.matches, script.times) {
    case (nil, nil): always = script
    case (nil, _): queue.append(script)
    case (_, nil):
      standing.append(script)
      hasMatches = true
    case (_, _):
      matching.append(script)
      hasMatches = true
    }
  }

  /// Adds scripts that are found by a key, behind others of that kind.
  mutating func add(_ scripts: KeyedScripts<Request, Answer>) {
    if scripts.count == 0 { return }
    keyed.append(scripts)
    hasMatches = true
  }

  /// Counts a used script of the kinds that match.
  private mutating func seeMatches() {
    hasMatches = !(matching.isEmpty && keyed.isEmpty && standing.isEmpty)
  }

  /// Takes the script for a request; nil if there is none.
  @inlinable
  mutating func take(_ request: Request) -> Script? {
    if hasMatches, let script = takeMatching(request) { return script }
    guard head < queue.count else { return always }
    queue[head].used += 1
    let script = queue[head]
    if script.isUsedUp {
      head += 1
      if 2 * head >= queue.count { dropUsedUp() }
    }
    return script
  }

  @usableFromInline
  mutating func dropUsedUp() {
    queue.removeFirst(head)
    head = 0
  }

  @usableFromInline
  mutating func takeMatching(_ request: Request) -> Script? {
    guard let index = matching.firstIndex(where: { $0.matches?(request) == true }) else {
      return takeKeyed(request) ?? standing.last { $0.matches?(request) == true }
    }
    matching[index].used += 1
    let script = matching[index]
    if script.isUsedUp {
      matching.remove(at: index)
      seeMatches()
    }
    return script
  }

  private mutating func takeKeyed(_ request: Request) -> Script? {
    for index in keyed.indices {
      guard let script = keyed[index].take(request) else { continue }
      if keyed[index].count == 0 {
        keyed.remove(at: index)
        seeMatches()
      }
      return script
    }
    return nil
  }

  /// Takes out all that have to be used and were not.
  mutating func takeUnused() -> [UnusedScript<Request, Answer>] {
    defer {
      matching = []
      keyed = []
      queue = []
      head = 0
      seeMatches()
    }
    let (first, last) = (matching.map { UnusedScript(script: $0) }, queue[head...].map { UnusedScript(script: $0) })
    return first + keyed.flatMap(\.unused) + last
  }
}

/// Scripts for one call each, which are found by a text that stands for the request.
///
/// However many there are, a call makes its own key alone, and none is compared with all of them.
@usableFromInline
struct KeyedScripts<Request: Sendable, Answer: Sendable>: Sendable {
  typealias Script = FakeScript<Request, Answer>

  /// The key of a request; nil if no script is for it.
  private let key: @Sendable (Request) -> String?
  /// The unused scripts by their keys, with their numbers in the order in which they were written.
  private var scripts: [String: ArraySlice<(number: Int, script: Script)>] = [:]
  private(set) var count = 0

  init(_ list: [(key: String, script: Script)], key: @escaping @Sendable (Request) -> String?) {
    self.key = key
    count = list.count
    for (number, entry) in list.enumerated() { scripts[entry.key, default: []].append((number, entry.script)) }
  }

  /// Takes the script for a request, first written first; nil if there is none.
  mutating func take(_ request: Request) -> Script? {
    guard count > 0, let key = key(request), let script = scripts[key]?.popFirst()?.script else { return nil }
    count -= 1
    if scripts[key]?.isEmpty == true { scripts[key] = nil }
    return script
  }

  /// The unused scripts, in the order in which they were written.
  var unused: [UnusedScript<Request, Answer>] {
    scripts.flatMap { key, entries in entries.map { (number: $0.number, script: $0.script, key: key) } }
      .sorted { $0.number < $1.number }
      .map { UnusedScript(script: $0.script, key: $0.key) }
  }
}

/// A script that is left at the end of a test.
struct UnusedScript<Request: Sendable, Answer: Sendable>: Sendable {
  let script: FakeScript<Request, Answer>
  /// The key of the request, for a script that was found by a key.
  var key: String?
}

/// The answer of a ``FakeCall`` to a scripted call.
@usableFromInline
enum FakeAnswer<Request: Sendable, Response: Sendable>: Sendable {
  /// Returns this.
  case reply(Response)
  /// Throws this.
  case failure(any Error)
  /// Does as this does, in the task of the caller.
  case handler(@Sendable (Request) async throws -> Response)
  /// Does as this does, which is told the number of the call, in the task of the caller.
  case numbered(@Sendable (Request, Int) async throws -> Response)
  /// Waits for the test.
  case held(HeldCall<Request, Response>)
}

/// The kind of an answer, for the log.
@usableFromInline
protocol FakeAnswering: Sendable {
  /// The end of a call that is answered at once; nil if the answer takes time.
  var ending: FakeEnding? { get }
}

extension FakeAnswer: FakeAnswering {
  @inlinable var ending: FakeEnding? {
    switch self {
    case .reply: .replied
    case .failure(let error): .failed(error)
    case .handler, .numbered, .held: nil
    }
  }
}
