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
    ])
  func wrong(arguments: [String], beginning: String) async throws {
    let run = try await FinishedCommand("load", arguments, in: Folder())
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(run.errors.hasPrefix(beginning), "\(run.errors)")
    #expect(run.errors.filter { $0 == "\n" }.count == 1 && run.errors.hasSuffix(".\n"))
  }

  @Test("The help text has the flag, and a service that refuses connections is reported")
  func report() async throws {
    let folder = try Folder()
    let help = try await FinishedCommand("load", ["--help"], in: folder)
    #expect(help.code == 0 && help.output.contains("--target URL"))
    let run = try await FinishedCommand(
      "load", ["--target", "http://127.0.0.1:1/", "--rate", "50", "--for", "0.2", "--warm-up", "0.01", "--json"],
      in: folder)
    #expect(run.code == 0 && run.output.contains("\"scenario\":\"target\"") && run.output.contains("\"failed\":10,"))
    #expect(run.output.contains("http://127.0.0.1:1/ could not be loaded: connection refused."))
  }
}
