#if SQLite
  import Foundation
  import Testing

  /// The example `orders`, as its users run it.
  @Suite("The orders of a process that is killed", .timeLimit(.minutes(5)))
  struct KilledOrdersTests {
    @Test("T1, T2: killed before and after each record of its log, the service does each thing once at each gateway")
    func crash() async throws {
      let process = try ChildProcess("orders", ["--crash"])
      let output = await process.rest
      #expect(await process.end == .exit(0))
      let kills = try #require(output.firstMatch(of: #/^Killed (\d+) times: before and after each of (\d+) records/#))
      let (count, records) = (try #require(Int(kills.1)), try #require(Int(kills.2)))
      // An epoch; two take-ups, charges, sleeps, values of waits, decisions and ends; a refund and two parcels.
      #expect(records >= 16 && count >= 2 * records - 1)
      #expect(output.hasSuffix("ship desk of order 1\nship lamp of order 1\n"))
    }

    @Test("Wrong flags are named with the fix", arguments: [[], ["--crash", "--folder", "a"], ["--kill", "after:1"]])
    func wrongFlags(_ arguments: [String]) async throws {
      let process = try ChildProcess("orders", arguments)
      #expect(
        await process.complaints
          == "orders needs either --crash or --folder FOLDER; write for example orders --crash.\n")
      #expect(await process.end == .exit(64))
    }

    @Test("A folder that cannot be made is named with the fix")
    func wrongFolder() async throws {
      let process = try ChildProcess("orders", ["--folder", "/proc/nowhere"])
      #expect(
        await process.complaints
          == "'/proc/nowhere/payments' cannot be made; give --folder a folder that can be written to.\n")
      #expect(await process.end == .exit(1))
    }

    @Test(
      "A moment that is none is named with the fix", arguments: ["after", "after:0", "behind:3", ":3", "after:3:4"])
    func wrongMoment(_ moment: String) async throws {
      let process = try ChildProcess("orders", ["--folder", "a", "--kill", moment])
      #expect(
        await process.complaints
          == "--kill needs before:N or after:N, but was given '\(moment)'; write for example --kill after:3.\n")
      #expect(await process.end == .exit(64))
    }
  }
#endif
