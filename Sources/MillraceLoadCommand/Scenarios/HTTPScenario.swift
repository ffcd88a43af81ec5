import MillraceFlags
import MillraceLoad
import MillraceLoopback
import Synchronization

/// GETs of a responder that this process starts: the cost of HTTP by itself.
let httpScenario = LoadScenario(
  "http", summary: "GETs of an HTTP responder on loopback that this program starts", rate: 2_000, users: 50
) { user in
  try OwnResponder.shared.client(for: user)
} perform: { client, _ in
  try await client.get()
}

/// The flag that loads a URL in place of a scenario.
let targetFlag = Flag.text(
  "--target", "URL", example: "http://127.0.0.1:8080/",
  help: "load this URL of a service on this machine, with 50 users by default")

/// GETs of the URL that `--target` names; nil without that flag.
///
/// - Throws: a sentence for what is no URL on loopback, and for a scenario beside it.
func targetScenario(_ parsed: ParsedFlags) throws(FlagError) -> LoadScenario? {
  guard let text = parsed.text("--target") else { return nil }
  guard !parsed.wasGiven("--scenario") else {
    throw FlagError("--target is a scenario of its own, so it takes no --scenario; leave one of the two out.")
  }
  let client = HTTPClient(try LoopbackURL(text, flag: "--target"))
  return LoadScenario("target", rate: 1_000, users: 50) { user in
    client.prepare(for: user)
    return client
  } perform: { client, _ in
    try await client.get()
  }
}

/// A responder in this process, and the client of its virtual users; it answers until the process ends.
private final class OwnResponder: Sendable {
  static let shared = OwnResponder()

  private let started = Mutex<(responder: LoopbackResponder, client: HTTPClient)?>(nil)

  /// Starts the responder with the first user.
  func client(for user: Int) throws -> HTTPClient {
    let client = try started.withLock { started in
      if let client = started?.client { return client }
      let responder = try LoopbackResponder { _ in .answer() }
      let client = HTTPClient(try LoopbackURL(responder.url(), flag: "--scenario http"))
      started = (responder, client)
      return client
    }
    client.prepare(for: user)
    return client
  }
}
