#if os(Linux)
  import Foundation
  import Testing

  private let wrkPath = "/usr/bin/wrk"

  @Suite("Comparison with wrk", .timeLimit(.minutes(2)))
  struct WrkComparisonTests {
    @Test(
      "At a quarter of wrk's throughput on a responder of 4 ms, the medians differ by a factor of at most 1.3",
      .enabled(if: FileManager.default.isExecutableFile(atPath: wrkPath), "There is no wrk; Tests/run installs it."))
    func medians() async throws {
      let responder = try ResponderProcess(delay: .milliseconds(4))
      defer { responder.stop() }
      let folder = try Folder()
      // Another process can disturb one of the two; a fault of the generator shows every time.
      var factors: [Double] = []
      while factors.count < 6, factors.last.map({ $0 > 1.3 }) ?? true {
        let wrk = try await wrk(responder, folder)
        let median = try await median(of: responder, at: wrk.throughput / 4, folder)
        factors.append(max(wrk.median / median, median / wrk.median))
      }
      #expect(factors.last ?? .infinity <= 1.3, "The factors are \(factors).")
    }

    /// Requests a second and the median in milliseconds, by wrk with eight connections.
    private func wrk(_ responder: ResponderProcess, _ folder: Folder) async throws -> (
      throughput: Double, median: Double
    ) {
      let run = try await FinishedCommand(
        wrkPath, ["-t1", "-c8", "-d1s", "--latency", responder.url], in: folder)
      try #require(run.code == 0, "\(run.errors)")
      let throughput = try #require(run.output.firstMatch(of: /Requests\/sec: +([0-9.]+)/))
      let median = try #require(run.output.firstMatch(of: /50% +([0-9.]+)(us|ms|s)/))
      let unit = ["us": 1e-3, "ms": 1, "s": 1e3][String(median.2)] ?? .nan
      return (try #require(Double(throughput.1)), try #require(Double(median.1)) * unit)
    }

    /// The median in milliseconds, by the program `load`.
    private func median(of responder: ResponderProcess, at rate: Double, _ folder: Folder) async throws -> Double {
      let run = try await FinishedCommand(
        "load",
        ["--target", responder.url, "--users", "8", "--rate", "\(rate)", "--for", "1", "--warm-up", "0.5", "--json"],
        in: folder)
      try #require(run.code == 0, "\(run.errors)")
      let line = try #require(run.output.split(separator: "\n").last)
      let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
      #expect(report.finished > 0 && report.failed == 0 && report.unsent == 0)
      return report.p50
    }

    private struct Report: Decodable {
      let finished: Int
      let failed: Int
      let unsent: Int
      let p50: Double
    }
  }
#endif
