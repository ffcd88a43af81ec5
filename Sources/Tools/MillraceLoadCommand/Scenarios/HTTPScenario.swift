import MillraceFlags
import MillraceHTTP
import MillraceLoad
import MillraceLoopback
import Synchronization

/// GETs of a responder that this process starts: the cost of HTTP by itself.
let httpScenario = LoadScenario(
  "http", summary: "GETs of an HTTP responder on loopback that this program starts", rate: 2_000, users: 50
) { user in
  try OwnResponder.shared.client(for: user)
} end: { client, _ in
  await client.end()
}

/// The flag that loads a URL in place of a scenario.
let targetFlag = Flag.text(
  "--target", "URL", example: "http://127.0.0.1:8080/",
  help: "load this URL of a service on this machine, with 50 users by default")

/// GETs of the URL that `--target` names; nil without that flag.
///
/// - Throws: a sentence for what is no URL on loopback, for a scenario beside it, and for a limit on open files that is too low for the
///   users of the URL or of ``httpScenario``, which has both ends of each connection.
func targetScenario(_ parsed: ParsedFlags) throws(FlagError) -> LoadScenario? {
  let issuers = try parsed.trustedIssuers()
  guard let text = parsed.text("--target") else {
    if parsed.text("--scenario") == httpScenario.name { try checkOpenFiles(parsed, descriptorsPerUser: 2) }
    guard issuers == nil else { throw FlagError("--ca is of use for --target only; leave it out, or name a target.") }
    return nil
  }
  guard !parsed.wasGiven("--scenario") else {
    throw FlagError("--target is a scenario of its own, so it takes no --scenario; leave one of the two out.")
  }
  try checkOpenFiles(parsed, descriptorsPerUser: 1)
  let client = HTTPClient(try LoopbackURL(text, flag: "--target"), issuers: issuers)
  var scenario = LoadScenario("target", rate: 1_000, users: 50) { user in
    client.prepare(for: user)
    return client
  } end: { client, _ in
    await client.end()
  }
  scenario.target = client.name
  return scenario
}

/// Raises the limit on open files, and throws where it is too low for the connections of all users.
private func checkOpenFiles(_ parsed: ParsedFlags, descriptorsPerUser: Int) throws(FlagError) {
  let files = try OpenFiles.raised(for: "load")
  let users = parsed.integer("--users") ?? httpScenario.users
  let needed = OpenFiles.limit(connections: OpenFiles.own + descriptorsPerUser * users)
  guard files.limit < needed else { return }
  throw FlagError(
    "load may open \(files.limit) files and needs \(needed) for \(users) users; raise the limit (ulimit -Hn \(needed)), or "
      + "give it fewer users by --users.")
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
