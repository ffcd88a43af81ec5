import Foundation
import Testing

/// The product `load`, run as users run it.
@Suite("load, as a process", .timeLimit(.minutes(2)))
struct LoadProcessTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func load(_ arguments: String...) async throws -> FinishedCommand {
    try await FinishedCommand("load", arguments, in: folder)
  }

  /// The object in the last line.
  private func object(_ output: String) throws -> [String: Any] {
    let line = try #require(output.split(separator: "\n").last)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private func expectCountsAddUp(_ object: [String: Any]) throws {
    let ends = ["finished", "failed", "timedOut", "cancelled", "superseded", "rejected", "inFlight"]
    let counts = try ends.map { try #require(object[$0] as? Int) }
    #expect(object["sent"] as? Int == counts.reduce(0, +))
    #expect(object["unsent"] is Int)
  }

  @Test(
    "A run prints a verdict and a table, JSON in its last line, and writes a page that a browser shows without a complaint"
  )
  func run() async throws {
    let end = try await load(
      "--scenario", "counter", "--rate", "1000", "--for", "0.5", "--warm-up", "0.1", "--json", "--report", "page.html")
    #expect(end.code == 0, "\(end.errors)")
    #expect(end.output.contains("1,000 requests/s were offered"))
    let object = try object(end.output)
    #expect(object["sent"] as? Int == 500 && object["finished"] as? Int == 500 && object["unsent"] as? Int == 0)
    #expect(object["p50"] is Double && object["uncorrected"] is [String: Double])
    let page = try await Chromium(in: folder).load("page.html")
    #expect(page.console == [])
    #expect(page.count("<svg") >= 4)
    #expect(page.count("<polyline") >= 8)
    #expect(page.elements.contains("1,000 requests/s were offered"))
  }

  @Test(
    "Handled actions that meet more than they can take are rejected, and the capacity is measured",
    .timeLimit(.minutes(1)))
  func overload() async throws {
    let end = try await load("--scenario", "overload", "--for", "2", "--json")
    #expect(end.code == 0, "\(end.errors)")
    let object = try object(end.output)
    try expectCountsAddUp(object)
    #expect(try #require(object["rejected"] as? Int) > 0)
    let (capacity, offered) = (object["capacity"] as? Double ?? 0, object["offeredRate"] as? Double ?? 0)
    #expect(abs(offered / capacity - 2) < 0.05)
    #expect(end.output.hasPrefix("It can take "))
  }

  @Test("Every scenario runs", arguments: ["counter", "records", "fan-out", "soak"])
  func scenario(name: String) async throws {
    let end = try await load(
      "--scenario", name, "--rate", "100", "--users", "2", "--for", "0.3", "--warm-up", "0.1", "--json")
    #expect(end.code == 0, "\(end.errors)")
    let object = try object(end.output)
    try expectCountsAddUp(object)
    #expect(object["sent"] as? Int == 30 && object["inFlight"] as? Int == 0)
  }

  @Test("The scenario soak counts no failure that it makes on purpose")
  func soak() async throws {
    let end = try await load(
      "--scenario", "soak", "--rate", "500", "--for", "0.4", "--warm-up", "0", "--drain", "5", "--json")
    let object = try object(end.output)
    let (finished, timedOut) = (object["finished"] as? Int ?? 0, object["timedOut"] as? Int ?? 0)
    #expect(finished + timedOut == 200 && object["errors"] as? [String: Int] == [:])
    #expect(end.code == 0 && !end.output.contains("failed with"))
  }

  @Test("SIGINT ends a run early, and the result is written all the same")
  func interrupted() async throws {
    // The first line of standard error says that the run begins; the signal is sent then.
    let script = #"""
      exec 3< <(exec "$0" --scenario counter --for 3600 --json 2>&1 >output)
      run=$!
      read -r -u 3
      kill -INT "$run"
      wait "$run"
      """#
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "load").path
    let end = try await FinishedCommand("/bin/bash", ["-c", script, program], in: folder)
    #expect(end.code == 0, "\(end.errors)")
    let object = try object(String(contentsOf: folder.file("output"), encoding: .utf8))
    try expectCountsAddUp(object)
    #expect(object["isCut"] as? Bool == true)
  }

  @Test("A wrong flag is one sentence and exit code 64")
  func wrongFlag() async throws {
    let end = try await load("--scenario", "nothing")
    #expect(end.code == 64 && end.output.isEmpty)
    #expect(end.errors.hasPrefix("There is no scenario 'nothing'; choose one of counter, "))
    #expect(end.errors.split(separator: "\n").count == 1)
  }

  @Test("A page that cannot be written is said before the run, with exit code 74")
  func unwritable() async throws {
    let end = try await load("--report", "no/such/folder/page.html", "--for", "3600")
    #expect(end.code == 74)
    #expect(
      end.errors
        == "'no/such/folder/page.html' cannot be written (No such file or directory); free space there, or name a file in a folder that can be written.\n"
    )
  }

  @Test("A page of before is kept until a new one is written whole: a run that is killed leaves it")
  func killed() async throws {
    let script = #"""
      echo yesterday >page.html
      exec 3< <(exec "$0" --scenario counter --for 3600 --report page.html 2>&1)
      run=$!
      read -r -u 3
      kill -KILL "$run"
      wait "$run" 2>/dev/null
      cat page.html
      ls -A
      """#
    let program = FinishedCommand.products.appending(path: "load").path
    let end = try await FinishedCommand("/bin/bash", ["-c", script, program], in: folder)
    let lines = end.output.split(separator: "\n")
    #expect(lines.first == "yesterday")
    #expect(lines.dropFirst().filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") } == ["page.html"])
  }
}
