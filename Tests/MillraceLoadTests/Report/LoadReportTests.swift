import Foundation
import Millrace
import Testing

@testable import MillraceLoad

@Suite("LoadReport")
struct LoadReportTests {
  private struct Offline: Error, CustomStringConvertible {
    let description = "The gateway is offline."
  }

  /// 100 requests of 1 to 100 ms.
  private static func tally(rejected: Int = 0, failed: Int = 0, unsent: Int = 0, open: Int = 0) -> LoadTally {
    var tally = LoadTally(duration: .seconds(1))
    for number in 1...100 {
      tally.send(due: 0)
      tally.end(.finished, due: 0, began: 500_000, ended: Int64(number) * 1_000_000)
    }
    for _ in 0..<rejected {
      tally.send(due: 0)
      tally.end(.rejected(.full("")), due: 0, began: 0, ended: 0)
    }
    for _ in 0..<failed {
      tally.send(due: 0)
      tally.end(.failed(Offline()), due: 0, began: 0, ended: 1_000_000)
    }
    for _ in 0..<unsent { tally.leaveUnsent(due: 0) }
    for _ in 0..<open { tally.send(due: 0) }
    return tally
  }

  @Test("The verdict of a run in which all is well has what was offered, what finished and how long it took")
  func well() {
    #expect(
      LoadReport.of(Self.tally()).verdict == [
        "100 requests/s were offered, and 100 requests/s finished.",
        "A request took 50.1 ms at the median, 99.1 ms at p99 and at most 100 ms.",
      ])
  }

  @Test("A measured capacity comes first, and what was not taken behind what was offered")
  func capacity() {
    var report = LoadReport.of(Self.tally(rejected: 100))
    report.capacity = 6_400
    #expect(
      report.verdict[0]
        == "It can take 6,400 requests/s; 200 requests/s were offered, of which 50 % were not taken, and 100 requests/s finished."
    )
  }

  @Test("Percentiles are lower bounds when requests were not sent, or have not ended")
  func lowerBound() {
    let report = LoadReport.of(Self.tally(unsent: 1_234, open: 2), maximumInFlight: 2)
    #expect(report.isLowerBound)
    #expect(
      report.verdict.last
        == "Percentiles are lower bounds: of the requests that were due, 1,234 were not sent, because 2 were in flight, and 2 had not ended."
    )
    #expect(report.description.contains("≥ 50.1 ms"))
    #expect(!LoadReport.of(Self.tally(rejected: 5)).isLowerBound)
  }

  @Test("Requests that failed, timed out, were cancelled or superseded are told, with the most frequent error")
  func failed() {
    var tally = Self.tally(failed: 2)
    #expect(LoadReport.of(tally).verdict[2] == "2 requests failed with 'The gateway is offline.'.")
    for outcome in [Outcome.timedOut, .cancelled, .superseded, .superseded, .failed(LoadError("no"))] {
      tally.send(due: 0)
      tally.end(outcome, due: 0, began: 0, ended: 1_000_000)
    }
    let report = LoadReport.of(tally)
    #expect(
      report.verdict[2]
        == "3 requests failed, most often with 'The gateway is offline.', 1 timed out, 1 was cancelled, 2 were superseded."
    )
    #expect(report.description.contains("\n\nerrors\n2  'The gateway is offline.'\n1  'no'\n\nlatency"))
    #expect(report.page.contains("<td class=\"number\">2</td><td>The gateway is offline.</td>"))
  }

  @Test("Error texts do not steer the terminal, and those beyond the tenth are counted")
  func errorTexts() {
    var tally = Self.tally()
    for number in 0..<12 { tally.end(.failed(LoadError("\u{1B}[2J\(number)")), due: 0, began: 0, ended: 1) }
    let report = LoadReport.of(tally)
    #expect(!report.description.contains("\u{1B}") && report.description.contains("\n1  '\\u{1B}[2J0'\n"))
    #expect(report.description.contains("\nand 2 more, which --json and --report list\n"))
  }

  @Test("A run in which no request finished has no latency, and is no fast one", arguments: [0, 5])
  func dead(failed: Int) throws {
    var tally = LoadTally(duration: .seconds(1))
    for _ in 0..<10 { tally.send(due: 0) }
    for _ in 0..<failed {
      tally.end(LoadEnd(.failed(Offline()), status: 503), due: 0, began: 0, ended: 1_000_000)
    }
    let report = LoadReport.of(tally)
    #expect(report.isWithoutSuccess && report.latency.p50 == nil && report.throughput == 0)
    #expect(
      report.verdict[0...1] == [
        "10 requests/s were offered, and 0 requests/s finished.", "No request has finished, so there is no latency.",
      ])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    #expect(object["p50"] is NSNull && object["max"] is NSNull)
    #expect((object["failures"] as? [String: Any])?["max"] as? Double == (failed == 0 ? nil : 1))
    #expect(object["statuses"] as? [String: Int] == (failed == 0 ? [:] : ["503": 5]))
    #expect(object["errors"] as? [String: Int] == (failed == 0 ? [:] : ["The gateway is offline.": 5]))
    #expect(
      report.description.split(separator: "\n").contains {
        $0.split(separator: " ") == ["from", "due", "–", "–", "–", "–", "–"]
      })
    #expect(report.description.contains("status 503") == (failed > 0))
    #expect(!LoadReport.of(Self.tally()).isWithoutSuccess)
    #expect(!LoadReport.of(LoadTally(duration: .seconds(1))).isWithoutSuccess)
  }

  @Test("A generator that was late by more than a tenth of the p99 latency is told")
  func generator() {
    var tally = Self.tally()
    for _ in 0..<100 { tally.addOwnLateness(9_000_000, due: 0) }
    #expect(!LoadReport.of(tally).isGeneratorLate)
    for _ in 0..<10 { tally.addOwnLateness(11_000_000, due: 0) }
    let report = LoadReport.of(tally)
    #expect(report.isGeneratorLate)
    #expect(report.verdict.last?.contains(" late at p99, which is more than a tenth of the p99 latency") == true)
  }

  @Test("Sampling and an early end are told")
  func sampledAndCut() {
    let verdict = LoadReport.of(Self.tally(), measuredOneOf: 4, isCut: true).verdict
    #expect(verdict.contains { $0.hasPrefix("Latencies are those of one of 4 requests") })
    #expect(verdict.last == "The run was ended early, after 1 s.")
  }

  @Test("Requests in flight that become more and more are told, and those that do not are not")
  func queue() {
    func verdict(endsPerSlice: Int) -> [String] {
      var tally = LoadTally(duration: .seconds(1))
      for slice in 0..<100 as Range<Int64> {
        let (start, end) = (slice * 10_000_000, (slice + 1) * 10_000_000)
        for _ in 0..<10 { tally.send(due: start) }
        for _ in 0..<endsPerSlice { tally.end(.finished, due: start, began: start, ended: start) }
        tally.add(ProcessReading(memory: 5_000_000, descriptors: 9), at: end)
      }
      return LoadReport.of(tally).verdict
    }
    #expect(
      verdict(endsPerSlice: 5).contains(
        "Requests in flight grew by 395, so the system takes fewer than are offered."))
    let flat = verdict(endsPerSlice: 10)
    #expect(!flat.contains { $0.hasPrefix("Requests in flight") })
    #expect(flat.contains("Memory is flat at 5 MB."))
    #expect(flat.contains("The number of open descriptors is flat at 9."))
  }

  @Test("A run in which nothing has ended has no latency")
  func nothing() {
    let report = LoadReport.of(LoadTally(duration: .seconds(1)))
    #expect(report.latency.p99 == nil)
    #expect(report.verdict[1] == "No request has finished, so there is no latency.")
    #expect(report.share(within: .seconds(1)) == 0)
  }

  @Test("The JSON has the counts, and latencies in milliseconds, from due and from sent")
  func json() throws {
    let report = LoadReport.of(Self.tally(rejected: 3, failed: 1, unsent: 2, open: 4))
    #expect(!report.json.contains("\n"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    let counts = ["sent": 108, "finished": 100, "rejected": 3, "inFlight": 4, "unsent": 2, "failed": 1]
    for (name, count) in counts { #expect(object[name] as? Int == count, "\(name)") }
    #expect(object["max"] as? Double == 100)
    let uncorrected = try #require(object["uncorrected"] as? [String: Double])
    #expect(uncorrected["max"] == 99.5)
    #expect(Set(uncorrected.keys) == ["p50", "p90", "p99", "p999", "max"])
    #expect(object["rejections"] as? [String: Int] == ["full": 3])
    #expect(object["isLowerBound"] as? Bool == true)
  }

  @Test("The JSON of a scenario with any name can be read")
  func jsonText() throws {
    let tally = LoadTally(duration: .seconds(1))
    let report = LoadReport(
      scenario: "a\"b\\c\n\u{1}é", options: LoadOptions(), schedule: nil, elapsed: .zero, isCut: false, figures: tally,
      measuredOneOf: 1)
    let object = try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]
    #expect(object?["scenario"] as? String == "a\"b\\c\n\u{1}é")
    #expect(object?["mode"] as? String == "closed")
  }

  @Test("The table has the counts and both rows of latencies")
  func table() {
    let lines = LoadReport.of(Self.tally(rejected: 3)).description.split(separator: "\n").map(String.init)
    #expect(lines.contains("sent      103"))
    #expect(lines.contains("rejected    3  full: 3"))
    #expect(lines.contains("latency        p50      p90      p99    p99.9      max"))
    #expect(lines.last == "from sent  49.5 ms  89.7 ms    98 ms  99.1 ms  99.5 ms")
  }

  @Test("JSON and page say what was run: target, start, host, version, rate, users, seed and options")
  func origin() throws {
    var options = LoadOptions(warmUp: .seconds(1), drain: .seconds(2), users: 7, maximumInFlight: 9, seed: .max)
    options.duration = .seconds(3)
    var report = LoadReport(
      scenario: "shop", options: options, schedule: .spike(100, peak: 1_000).randomly(), elapsed: .seconds(3),
      isCut: false, figures: Self.tally(), measuredOneOf: 1)
    report.origin = LoadOrigin(
      target: "http://127.0.0.1/", start: Date(timeIntervalSince1970: 1_700_000_000), host: "one", version: "0")
    let facts = try (JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any]).map {
      $0 as NSDictionary
    }
    let expected: NSDictionary = [
      "target": "http://127.0.0.1/", "start": "2023-11-14T22:13:20Z", "host": "one", "version": "0", "rate": 1_000,
      "users": 7, "seed": UInt64.max,
      "options": [
        "duration": 3, "warmUp": 1, "drain": 2, "maximumInFlight": 9, "isRandom": true,
        "schedule": [
          ["share": 0.45, "from": 100, "to": 100], ["share": 0.1, "from": 1_000, "to": 1_000],
          ["share": 0.45, "from": 100, "to": 100],
        ],
      ] as [String: Any],
    ]
    for (name, value) in expected { #expect(facts?[name] as? NSObject == value as? NSObject, "\(name)") }
    for fact in [
      "<dt>Target</dt><dd>http://127.0.0.1/</dd>", "<dt>Started</dt><dd>2023-11-14T22:13:20Z</dd>",
      "<dt>Host</dt><dd>one</dd>", "<dt>Version</dt><dd>0</dd>", "<dt>Users</dt><dd>7</dd>",
      "<dt>Rate</dt><dd>100 requests/s for 45 %, 1,000 requests/s for 10 %, 100 requests/s for 45 %</dd>",
      "<dt>Seed</dt><dd>18446744073709551615</dd>", "<dt>Warm-up</dt><dd>1 s</dd>",
    ] {
      #expect(report.page.contains(fact), "\(fact)")
    }
  }

  @Test("A closed loop has its clients and its think time in JSON and page, and no rate")
  func closedOrigin() throws {
    let options = LoadOptions(.closed(concurrency: 4, thinkTime: .milliseconds(500)))
    let report = LoadReport(
      scenario: "shop", options: options, schedule: nil, elapsed: .seconds(3), isCut: false, figures: Self.tally(),
      measuredOneOf: 1)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    let shown = try #require(object["options"] as? [String: Any])
    #expect(object["rate"] is NSNull && object["start"] is NSNull)
    #expect(shown["clients"] as? Int == 4 && shown["thinkTime"] as? Double == 0.5)
    #expect(
      report.page.contains("<dt>Clients</dt><dd>4</dd>") && report.page.contains("<dt>Think time</dt><dd>500 ms</dd>"))
  }
}
