import Foundation
import Testing

@Suite("load --target, as a process of its own", .timeLimit(.minutes(1)))
struct TargetFlagTests {
  @Test(
    "A wrong target ends the program with one sentence and the exit code 64",
    arguments: [
      (["--target", "x"], "--target needs an http:// or https:// URL, but was given 'x'; "),
      (["--target"], "--target needs a value, but none follows it; "),
      (
        ["--target", "http://a:b@example.com/?c"],
        "--target loads services on this machine only, but was given 'http://example.com/?…'; "
      ),
      (
        ["--target", "http://127.0.0.1/", "--scenario", "http"],
        "--target is a scenario of its own, so it takes no --scenario; "
      ),
      (["--target", "http://127.0.0.1/", "--users", "0"], "--users needs a whole number"),
      (["--target", "https://127.0.0.1/", "--ca", "/missing/ca.pem"], "--ca was given '/missing/ca.pem', which "),
      (
        ["--scenario", "http", "--ca", "/etc/ssl/certs/ca-certificates.crt"], "--ca is of use for --target only; "
      ),
    ])
  func wrong(arguments: [String], beginning: String) async throws {
    let run = try await FinishedCommand("load", arguments, in: Folder())
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(run.errors.hasPrefix(beginning), "\(run.errors)")
    #expect(run.errors.filter { $0 == "\n" }.count == 1 && run.errors.hasSuffix(".\n"))
  }

  @Test(
    "A service that refuses connections is no fast one: it has no latency, and the program ends with the exit code 4")
  func report() async throws {
    let folder = try Folder()
    let help = try await FinishedCommand("load", ["--help"], in: folder)
    #expect(help.code == 0 && help.output.contains("--target URL"))
    let run = try await FinishedCommand(
      "load", ["--target", "http://127.0.0.1:1/", "--rate", "50", "--for", "0.2", "--warm-up", "0.01", "--json"],
      in: folder)
    #expect(run.code == 4 && run.output.contains("\"scenario\":\"target\"") && run.output.contains("\"failed\":10,"))
    let error = "http://127.0.0.1:1/ could not be loaded: connection refused."
    #expect(run.output.contains("10 requests failed with '\(error)'."))
    #expect(run.output.contains("\"errors\":{\"\(error)\":10}") && run.output.contains("\"p50\":null"))
    #expect(run.errors.hasSuffix("No request finished, of 10 requests that were due; see that the target works.\n"))
  }

  @Test(
    "A limit on open files that is too low for the connections of all users ends the program with the limit and the fix",
    arguments: [("--target http://127.0.0.1:1/", 104), ("--scenario http", 157)])
  func tooFewFiles(flags: String, needed: Int) async throws {
    let load = FinishedCommand.products.appending(path: "load").path
    let run = try await FinishedCommand(
      "/bin/sh", ["-c", "ulimit -n \(needed - 1); exec \"$0\" \(flags)", load], in: Folder())
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(
      run.errors == "load may open \(needed - 1) files and needs \(needed) for 50 users; raise the limit (ulimit -Hn "
        + "\(needed)), or give it fewer users by --users.\n")
  }

  @Test("JSON and page have the target without its credentials and its query, and the users that there were")
  func origin() async throws {
    let folder = try Folder()
    let run = try await FinishedCommand(
      "load",
      [
        "--target", "http://me:secret@127.0.0.1:1/a?key", "--rate", "50", "--for", "0.1", "--warm-up", "0", "--json",
        "--report", "page.html",
      ], in: folder)
    let line = try #require(run.output.split(separator: "\n").last)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(object["target"] as? String == "http://127.0.0.1:1/a?…" && object["users"] as? Int == 50)
    let start = try #require(object["start"] as? String)
    #expect(try Date(start, strategy: .iso8601) <= Date() && object["host"] as? String != "")
    let page = try String(contentsOf: folder.file("page.html"), encoding: .utf8)
    #expect(page.contains("<dd>\(start)</dd>") && page.contains("<dt>Users</dt><dd>50</dd>"))
    #expect(!page.contains("secret") && !run.output.contains("secret"))
  }

  @Test("A condition of --fail-if that holds is told in a sentence, with the exit code 4")
  func failIf() async throws {
    let folder = try Folder()
    let run = try await FinishedCommand(
      "load",
      [
        "--scenario", "counter", "--rate", "100", "--for", "0.1", "--warm-up", "0.01", "--fail-if", "finished >= 100 %",
        "--fail-if", "failed > 1 %",
      ], in: folder)
    #expect(run.code == 4)
    #expect(
      run.errors.hasSuffix(
        "finished is 100 % (10 of 10 requests), so the condition 'finished >= 100 %' of --fail-if holds.\n"))
  }
}
