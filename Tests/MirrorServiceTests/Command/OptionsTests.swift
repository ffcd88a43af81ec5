import Foundation
import Millrace
import MillraceFlags
import MillraceHTTP
import MillraceSocket
import Testing

@testable import MirrorService

@Suite("Options")
struct OptionsTests {
  private func options(_ arguments: [String]) throws -> Options {
    try Options(try Options.flags.parse(arguments))
  }

  @Test("Each flag sets what it names, and what is not named has a default")
  func flags() throws {
    let upstream = ["--upstream", "http://localhost:8080/a"]
    let plain = try options(upstream)
    #expect(plain.port == 7_070 && plain.initialState == Mirror.State() && !plain.showsStatus)
    #expect(plain.store.runsInFlight == 64 && plain.store.actionsWaiting == 256 && plain.limits.timeout == .seconds(10))
    let options = try options(
      upstream + [
        "--listen", "0", "--repository", "libs", "--repository", "apps", "--keep", "5", "--timeout", "2", "--fetches",
        "3", "--waiting", "0", "--drain", "1", "--record", "a.jsonl", "--status",
      ])
    #expect(options.port == 0 && options.upstream.text == "http://localhost:8080/a")
    #expect(Set(options.initialState.repositories.keys) == ["libs", "apps"])
    #expect(options.keep == .seconds(5) && options.drain == .seconds(1))
    #expect(options.limits.timeout == .seconds(2) && options.limits.attemptTimeout == .seconds(2))
    #expect(options.store.runsInFlight == 3 && options.store.actionsWaiting == 0)
    #expect(options.recording == "a.jsonl" && options.showsStatus)
    let zero = try self.options(upstream + ["--keep", "0", "--drain", "0"])
    #expect(zero.keep == .zero && zero.drain == .zero)
  }

  @Test(
    "A mistake is a sentence with the fix, and shows no password",
    arguments: [
      ([], "mirror needs an upstream; write for example mirror --upstream http://localhost:8080/artifacts."),
      (
        ["--upstream", "ftp://me:secret@a"],
        "--upstream needs an http:// or https:// URL, but was given 'ftp://…@a'; write for example --upstream "
          + "http://localhost:8080/artifacts."
      ),
      (["--upstream", "http://a", "--record", "/"], "--record was given '/', which is a folder; name a file in it."),
      (
        ["--upstream", "http://a", "--repository", "a/b"],
        "--repository was given 'a/b'. The name of a repository has letters, digits, '.', '-' and '_', and is not '.' "
          + "or '..'."
      ),
      (
        ["--upstream", "http://a", "--listen", "65536"],
        "--listen needs a whole number from 0 to 65535, but was given '65536'; write for example --listen 7070."
      ),
    ] as [([String], String)])
  func wrong(arguments: [String], sentence: String) {
    let error = #expect(throws: FlagError.self) { try options(arguments) }
    #expect(error?.message == sentence)
  }

  @Test("A port that is taken is a sentence with the fix")
  func taken() throws {
    let listener = try Listener()
    defer { listener.close() }
    let options = try options(["--upstream", "http://a", "--listen", "\(listener.port)"])
    let error = #expect(throws: FlagError.self) { try options.listener() }
    #expect(
      error?.message
        == "mirror cannot listen on port \(listener.port): Address already in use; choose another one by --listen.")
  }
}
