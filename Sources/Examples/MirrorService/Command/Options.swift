import Foundation
import Millrace
import MillraceFlags
import MillraceHTTP
import MillraceSocket

/// The request of the command line.
struct Options: Sendable {
  let upstream: TransferURL
  /// The issuers of certificates that are trusted in place of the system's.
  let issuers: TrustedIssuers?
  /// The names of the repositories that are there from the beginning.
  let repositories: [String]
  /// The connections that the limit on open files allows.
  let connections: ConnectionShares
  private let parsed: ParsedFlags

  static let flags = Flags(
    command: "mirror",
    summary: "Mirrors the artifacts of an HTTP server; 'mirror recording --help' tells of recordings.",
    notes: [
      "Requests go to the upstream itself: proxies of the environment (http_proxy, https_proxy, all_proxy) are ignored."
    ],
    exitCodes: [
      ExitCode(0, "a signal has ended it, and every request has its answer"),
      ExitCode(1, "a signal has ended it, and requests were cut"), .usage, .notWritable,
      ExitCode(128, "with the number of a second signal added: that one has ended it at once"),
    ],
    [
      .text("--upstream", "URL", example: "http://localhost:8080/artifacts", help: "the server that has the artifacts"),
      .trustedIssuers,
      .integer("--listen", "PORT", in: 0...65_535, example: "7070", help: "the port on 127.0.0.1 (default 7070)"),
      .texts("--repository", "NAME", example: "libs", help: "a repository that is there from the beginning"),
      .seconds(
        "--keep", canBeZero: true, example: "60", help: "how long a copy is valid (default 60); 0 asks each time"),
      .seconds("--timeout", example: "10", help: "the longest that a request takes (default 10)"),
      .integer(
        "--fetches", in: 1...10_000, example: "64", help: "requests to the upstream at the same time (default 64)"),
      .integer("--waiting", in: 0...1_000_000, example: "256", help: "requests that may wait (default 256)"),
      .seconds(
        "--drain", canBeZero: true, example: "10",
        help: "how long requests may continue after SIGTERM or SIGINT (default 10); 0 cancels them"),
      .text(
        "--record", "FILE", example: "mirror.jsonl", help: "record what happens, for 'mirror recording replay FILE'"),
      .toggle("--status", help: "print a line on standard error for each change"),
    ])

  /// Creates the options of parsed flags.
  ///
  /// - Parameter files: the files that the process may have open.
  /// - Throws: `FlagError`, naming the flag, the value and the fix.
  init(_ parsed: ParsedFlags, files: OpenFiles = .current) throws(FlagError) {
    guard let text = parsed.text("--upstream") else {
      throw FlagError("mirror needs an upstream; write for example mirror --upstream http://localhost:8080/artifacts.")
    }
    do throws(TransferURL.Unreadable) {
      upstream = try TransferURL(reading: text)
    } catch {
      throw FlagError(
        flag: "--upstream", needs: error.needs, given: RedactedURL.broken(text),
        example: "http://localhost:8080/artifacts")
    }
    issuers = try parsed.trustedIssuers()
    if let recording = parsed.text("--record") { try FlagError.checkOutputFile(recording, of: "--record") }
    repositories = parsed.texts("--repository")
    self.parsed = parsed
    connections = ConnectionShares(of: files, fetches: parsed.integer("--fetches") ?? 64)
    for name in repositories {
      do throws(InvalidRequest) { _ = try Request.repository(name) } catch {
        throw FlagError("--repository was given \(FlagError.quoted(name)). \(error.sentence)")
      }
    }
  }

  var port: UInt16 { UInt16(parsed.integer("--listen") ?? 7_070) }
  /// The time for which a copy is kept.
  var keep: Duration { parsed.seconds("--keep") ?? .seconds(60) }
  /// The longest time for which requests may continue after a signal.
  var drain: Duration { parsed.seconds("--drain") ?? .seconds(10) }
  var recording: String? { parsed.text("--record") }
  var showsStatus: Bool { parsed.isOn("--status") }

  var store: StoreConfiguration.Limits {
    .init(runsInFlight: connections.fetches, actionsWaiting: parsed.integer("--waiting") ?? 256)
  }

  /// The bounds of the server that clients connect to.
  var bounds: LineBounds {
    LineBounds(connections: connections.clients, descriptors: connections.end, largest: limits.artifact)
  }

  var limits: Limits {
    let (timeout, attempt) = (parsed.seconds("--timeout") ?? Limits().timeout, Limits().attemptTimeout)
    return Limits(timeout: timeout, attemptTimeout: min(attempt, timeout))
  }

  /// Listens for clients.
  func listener() throws(FlagError) -> Listener {
    do throws(ListenError) {
      return try Listener(port: port)
    } catch {
      throw FlagError("mirror cannot listen on port \(port): \(error); choose another one by --listen.")
    }
  }

  /// The state that the mirror begins with.
  var initialState: Mirror.State {
    var state = Mirror.State()
    for name in repositories { Mirror.reduce(into: &state, mutation: .added(name, capacity: limits.capacity)) }
    return state
  }
}
