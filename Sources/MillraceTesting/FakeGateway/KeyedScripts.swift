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
